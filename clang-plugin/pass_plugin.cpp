// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the rewriting as an LLVM pass: for `opt -passes=nowait`, at the start of every ordinary pipeline, and for
// the compile stage that only writes bitcode. Also lends the rewriting what LLVM-C lacks.
#include "pass_plugin.h"

#include "host_report.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CBindingWrapping.h"

#include <memory>

using namespace llvm;

namespace {

class NowaitPass : public PassInfoMixin<NowaitPass> {
public:
    explicit NowaitPass(nw_rewrite_options Chosen) : Options(Chosen) {}

    PreservedAnalyses run(Module &M, ModuleAnalysisManager &)
    {
        return nw_rewrite_module(wrap(&M), &Options) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }

    // Runs at -O0 and in functions marked optnone too.
    static bool isRequired() { return true; }

private:
    nw_rewrite_options Options;
};

// The names of the passes that write a module out.
bool isWriter(StringRef PassName)
{
    return PassName.contains("BitcodeWriterPass") || PassName == "PrintModulePass";
}

// With offloading, clang compiles host code in two steps, and the first runs no pass but the one that writes bitcode:
// the device step reads that. So act just before the writer, if no other pass has run before it; an ordinary pipeline
// has had its own start.
void registerBeforeWriter(PassInstrumentationCallbacks &Callbacks, nw_rewrite_options Options)
{
    auto OthersRan = std::make_shared<bool>(false);

    Callbacks.registerBeforeNonSkippedPassCallback([OthersRan, Options](StringRef PassName, Any IR) {
        if (*OthersRan)
            return;
        if (isWriter(PassName)) {
            if (const auto *M = any_cast<const Module *>(&IR))
                nw_rewrite_module(wrap(const_cast<Module *>(*M)), &Options);
        } else if (!PassName.contains("Verifier") && !PassName.contains("PassManager")) {
            *OthersRan = true;
        }
    });
}

bool parsePass(StringRef Name, ModulePassManager &Passes, nw_rewrite_options Options)
{
    if (Name == "nowait<verify>")
        Options.verify = true;
    else if (Name != "nowait")
        return false;
    Passes.addPass(NowaitPass(Options));
    return true;
}

} // namespace

void nowait::registerPass(PassBuilder &Builder, nw_rewrite_options Options)
{
    Builder.registerPipelineParsingCallback(
        [Options](StringRef Name, ModulePassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
            return parsePass(Name, Passes, Options);
        });
    Builder.registerPipelineStartEPCallback(
        [Options](ModulePassManager &Passes, OptimizationLevel) { Passes.addPass(NowaitPass(Options)); });
    if (PassInstrumentationCallbacks *Callbacks = Builder.getPassInstrumentationCallbacks())
        registerBeforeWriter(*Callbacks, Options);
}

void nw_report_rewritten(LLVMValueRef Call, const char *Text)
{
    auto *I = cast<Instruction>(unwrap(Call));

    I->getContext().diagnose(OptimizationRemark("nowait", "Rewritten", I) << Text);
}

void nw_report_missed(LLVMValueRef Call, const char *Text)
{
    auto *I = cast<Instruction>(unwrap(Call));

    I->getContext().diagnose(OptimizationRemarkMissed("nowait", "NotRewritten", I) << Text);
}

bool nw_report_wants_missed(LLVMContextRef Context)
{
    return unwrap(Context)->getDiagHandlerPtr()->isMissedOptRemarkEnabled("nowait");
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "nowait", NW_VERSION,
            [](PassBuilder &Builder) { nowait::registerPass(Builder, nowait::defaultOptions()); }};
}
