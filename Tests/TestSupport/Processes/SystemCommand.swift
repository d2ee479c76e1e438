import Foundation

/// A command of the system (`git`, `bash`, …), run to its end.
package struct SystemCommand: Sendable {
    /// What it left with.
    package let exitCode: Int32
    /// What it said.
    package let said: String

    /// Finds `name` as a shell does, and runs it.
    /// - Parameter withErrors: what it says on its error stream is heard too.
    package init(_ name: String, _ arguments: [String], withErrors: Bool = false) throws {
        let output = Pipe()
        ChildProcess.keepFromOthers(output)
        let nothing = FileHandle.nullDevice
        let process = try ChildProcess(
            "/usr/bin/env", [name] + arguments, in: "/",
            environment: ProcessInfo.processInfo.environment, input: nothing.fileDescriptor,
            output: output.fileHandleForWriting.fileDescriptor,
            errors: (withErrors ? output.fileHandleForWriting : nothing).fileDescriptor)
        // Ours open, the reading below would never end.
        try output.fileHandleForWriting.close()
        said = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        exitCode = process.waitHere()
    }
}
