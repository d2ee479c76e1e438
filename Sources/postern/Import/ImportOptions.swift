import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// What all imports have in common.
struct ImportOptions: ParsableArguments {
    @Flag(help: "Say what would become of each record, and take none in.")
    var dryRun = false

    @Flag(
        help: """
            Take no email for proved, whatever the file says: who comes first with a proof of the \
            address gets the account, and its old password goes.
            """)
    var emailsUnproved = false

    @Option(help: "A JSON line for each record that was refused. Default: FILE.refused.jsonl.")
    var deadLetters: String?

    @Flag(help: "Begin at the beginning, also where a run before was stopped.")
    var fromStart = false

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// Takes a file in and tells what it came to.
    /// - Throws: `ExitCode` 2 where records were refused.
    func run(
        _ path: String, source: String,
        _ content: (OperatorCaller) async throws -> AccountFile.Content
    ) async throws {
        let caller = try OperatorCaller(endpoints, service: "identity")
        let counts = try await OperatorCaller.telling { () async throws -> ImportCounts in
            let content = try await content(caller)
            return try await run(path, source: source, content, caller)
        }
        ImportProgress.onTerminal("")
        for line in counts.lines { Screen.line(line) }
        guard counts.refused > 0 else { return }
        Screen.line("which were refused, and why: \(deadLetterPath(path))")
        throw ExitCode(2)
    }

    private func run(
        _ path: String, source: String, _ content: AccountFile.Content, _ caller: OperatorCaller
    ) async throws -> ImportCounts {
        let positionPath = path == "-" ? nil : "\(path).position"
        let start = try fromStart || dryRun ? 0 : start(path, positionPath)
        if start > 0 { Screen.line("going on where the last run was stopped, at byte \(start)") }
        let imports = ImportsClient(caller.client)
        var file = try await AccountFile(path, content, from: start) { shared in
            try await imports.keepHashParameters(
                IdentityV1.KeepHashParametersRequest(
                    signerKey: shared.signerKey, saltSeparator: shared.saltSeparator),
                caller.context
            ).parametersId
        }
        let run = ImportRun(
            imports: imports,
            options: ImportRun.Options(
                source: source, emailsUnproved: emailsUnproved, isDryRun: dryRun,
                positionPath: positionPath, deadLetterPath: deadLetterPath(path)),
            time: SystemTime(), context: { caller.client.context(timeout: .seconds(60)) })
        return try await run.run(&file)
    }

    private func start(_ path: String, _ positionPath: String?) throws -> Int64 {
        guard let positionPath,
            let byteCount = try RecordReader(path, form: .lines).byteCount
        else { return 0 }
        return ImportPosition.read(positionPath, byteCount: byteCount)?.offset ?? 0
    }

    private func deadLetterPath(_ path: String) -> String {
        deadLetters ?? (path == "-" ? "refused.jsonl" : "\(path).refused.jsonl")
    }
}
