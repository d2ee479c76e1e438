import ArgumentParser

/// Measures one thing, and prints a line `figure NAME VALUE UNIT` for each figure.
/// `docker/bench.sh` builds it, prepares its environment and says which measure to run.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        subcommands: [
            EchoServer.self, GroupCommit.self, Refreshes.self, SessionFigures.self,
            PasswordHashes.self, SignIns.self, FirstValidations.self, ValidationServer.self,
            LimitsCore.self, LimitsServer.self, OutboxFigures.self, ProviderTokens.self,
            AccountLookUps.self, ProviderSignIns.self, SignInRush.self, HTTP2Floor.self,
            BackupFigures.self, DocumentWrites.self, DocumentReads.self, PhotoUploads.self,
            DocumentRush.self, OrphanFigures.self, DeletionFigures.self, ExportFigures.self,
            CallCosts.self, ServerRefreshes.self, ServerPhotos.self, AuditFigures.self,
            NIOFloor.self,
        ])
}
