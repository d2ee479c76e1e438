import Foundation

/// A system command (`git`, `bash`, …) that has run to its end.
package struct SystemCommand: Sendable {
    /// Its exit code.
    package let exitCode: Int32
    /// Its output.
    package let said: String

    /// Finds `name` in `PATH`, runs it and waits for its end.
    /// - Parameter withErrors: Whether `said` includes its standard error.
    /// - Throws: `ChildProcess.NotStarted` if it cannot be started; a file error if its output
    ///    cannot be read.
    package init(_ name: String, _ arguments: [String], withErrors: Bool = false) throws {
        let output = Pipe()
        ChildProcess.keepFromOthers(output)
        let nothing = FileHandle.nullDevice
        let process = try ChildProcess(
            "/usr/bin/env", [name] + arguments, in: "/",
            environment: ProcessInfo.processInfo.environment, input: nothing.fileDescriptor,
            output: output.fileHandleForWriting.fileDescriptor,
            errors: (withErrors ? output.fileHandleForWriting : nothing).fileDescriptor)
        // While our write end is open, reading below would never end.
        try output.fileHandleForWriting.close()
        said = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        exitCode = process.waitHere()
    }
}
