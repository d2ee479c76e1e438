import Foundation

/// A program that was run to its end.
struct ProgramRun: Sendable {
    /// The exit code; 128 plus the signal's number if a signal ended the program.
    let exitCode: Int32
    /// The text on standard output.
    let output: String
    /// The text on standard error.
    let errors: String

    /// Runs one of the built programs to its end; `kill -9` ends one that takes too long.
    /// - Parameters:
    ///   - name: The program, for example `postern`.
    ///   - input: The text on its standard input.
    ///   - folder: The working folder.
    ///   - limit: The longest time that it may take.
    static func run(
        _ name: String, _ arguments: [String], input: String = "", in folder: String = "/tmp",
        limit: Duration = .seconds(60)
    ) async throws -> ProgramRun {
        try await run(
            path: BuiltPrograms.path(name), arguments, input: input, in: folder, limit: limit)
    }

    /// The same for any executable.
    static func run(
        path: String, _ arguments: [String], input: String = "", in folder: String = "/tmp",
        limit: Duration
    ) async throws -> ProgramRun {
        let process = RunningProcess(path, arguments, in: folder)
        let output = Pipe()
        let errors = Pipe()
        let written = Pipe()
        process.connect(input: written, output: output, errors: errors)
        try process.start()
        // Every input of these tests fits into the pipe, so this does not block.
        try? written.fileHandleForWriting.write(contentsOf: Data(input.utf8))  // or it has ended
        try? written.fileHandleForWriting.close()
        async let said = text(output)
        async let complained = text(errors)
        let exitCode = await process.end(within: limit)
        return await ProgramRun(exitCode: exitCode, output: said, errors: complained)
    }

    private static func text(_ pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let bytes = try? pipe.fileHandleForReading.readToEnd()  // none: no output
                continuation.resume(returning: String(decoding: bytes ?? Data(), as: UTF8.self))
            }
        }
    }
}
