import Glibc

/// The program with which a desktop opens files and links.
enum DesktopProgram {
    private static let name = "xdg-open"

    /// Opens a file or a link, and says so; without the program, says what it would open.
    static func open(_ target: String) throws {
        let process: OSProcess
        do {
            process = try OSProcess(name, [target], streams: [:], hasOwnGroup: false)
        } catch let error as OSProcess.NotStarted where error.code == ENOENT {
            return Screen.line("\(name) is not installed; it would open \(target)")
        }
        guard process.wait() == .exit(code: 0) else {
            throw ToolError("\(name) could not open \(target)")
        }
        Screen.line("opened \(target)")
    }
}
