# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: secure_programs.py {set-user-id | capability} PROGRAM

Makes an existing program one with rights that its caller may lack: whoever runs it is its owner for the system, or has
a capability. As a module it tells lit whether that can be tested here.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def give_rights(kind, program):
    if kind == "set-user-id":
        os.chmod(program, 0o4755)
    else:
        # struct vfs_cap_data, version 2: the capability to bind small ports, which harms nobody, in effect at once.
        os.setxattr(program, "security.capability", struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0))


def can_be_made(folder):
    """True if this user can make such programs in the folder, and another one can run them there."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return False
    os.makedirs(folder, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            os.chmod(temporary, 0o755)
            for kind in "set-user-id", "capability":
                program = os.path.join(temporary, kind)
                shutil.copy(shutil.which("env"), program)
                give_rights(kind, program)
                # The loader drops a preload of such a program's; of any other it complains that there is none.
                answer = subprocess.run(AS_NOBODY + ["env", "LD_PRELOAD=/none.so", program, "true"],
                                        stderr=subprocess.PIPE, check=False)
                if answer.returncode != 0 or answer.stderr:
                    return False
        return True
    except OSError:
        return False


if __name__ == "__main__":
    give_rights(sys.argv[1], sys.argv[2])
