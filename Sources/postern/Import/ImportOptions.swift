import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// The options that all imports have in common.
struct ImportOptions: ParsableArguments {
    @Flag(
        help: """
            Report the result for each record, and import none. Two records with one address are \
            found only if they are close to each other in the file.
            """)
    var dryRun = false

    @Flag(
        help: """
            Import all emails as unverified, whatever the file says: the first user who verifies \
            the address gets the account, and its old password is removed.
            """)
    var emailsUnproved = false

    @Option(help: "File for rejected records, one JSON line each. Default: FILE.refused.jsonl.")
    var deadLetters: String?

    @Flag(help: "Start from the beginning, even if an earlier run was stopped.")
    var fromStart = false

    @OptionGroup var services: EndpointsOption

    /// Imports a file and prints the summary.
    /// - Throws: `ExitCode` 2 if records were rejected.
    func run(
        _ path: String, source: String,
        _ content: (OperatorCaller) async throws -> AccountFile.Content
    ) async throws {
        let counts = try await services.ask("identity") { caller -> ImportCounts in
            let content = try await content(caller)
            return try await run(path, source: source, content, caller)
        }
        ImportProgress.onTerminal("")
        for line in counts.lines { Screen.line(line) }
        guard counts.refused > 0 else { return }
        Screen.line("rejected records and reasons: \(deadLetterPath(path))")
        throw ExitCode(2)
    }

    private func run(
        _ path: String, source: String, _ content: AccountFile.Content, _ caller: OperatorCaller
    ) async throws -> ImportCounts {
        let positionPath = path == "-" ? nil : "\(path).position"
        let start = try fromStart || dryRun ? 0 : start(path, positionPath)
        if start > 0 { Screen.line("resuming where the last run was stopped, at byte \(start)") }
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
