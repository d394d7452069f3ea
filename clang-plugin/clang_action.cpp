// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes `clang -fplugin=` enough: an action that runs before code generation and adds the pass to its pipelines. It
// looks at nothing in the source.
#include "pass_plugin.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

class NowaitAction : public clang::PluginASTAction {
public:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &Compiler, llvm::StringRef) override
    {
        nw_rewrite_options ForPass = Options;

        Compiler.getCodeGenOpts().PassBuilderCallbacks.push_back(
            [ForPass](llvm::PassBuilder &Builder) { nowait::registerPass(Builder, ForPass); });
        return std::make_unique<clang::ASTConsumer>();
    }

    bool ParseArgs(const clang::CompilerInstance &Compiler, const std::vector<std::string> &Args) override
    {
        for (const std::string &Arg : Args) {
            if (Arg == "verify") {
                Options.verify = true;
            } else if (Arg == "version") {
                std::printf("nowait %s for LLVM %d\n", NW_VERSION, NW_LLVM_MAJOR);
            } else if (Arg == "help") {
                std::printf("Arguments of the nowait plugin (-fplugin-arg-nowait-ARGUMENT):\n"
                            "  help     print this text\n"
                            "  verify   check the code after rewriting it\n"
                            "  version  print the version of the plugin\n"
                            "See what it does with -Rpass=nowait and -Rpass-missed=nowait.\n");
            } else {
                clang::DiagnosticsEngine &Diagnostics = Compiler.getDiagnostics();

                Diagnostics.Report(Diagnostics.getCustomDiagID(
                    clang::DiagnosticsEngine::Error, "unknown argument '%0' for the nowait plugin; try 'help'"))
                    << Arg;
                return false;
            }
        }
        return true;
    }

    ActionType getActionType() override { return AddBeforeMainAction; }

private:
    nw_rewrite_options Options = nowait::defaultOptions();
};

const clang::FrontendPluginRegistry::Add<NowaitAction>
    Registration("nowait", "make deferred target constructs independent of host threads");

} // namespace
