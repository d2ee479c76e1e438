import Glibc

/// The program with which a desktop opens files and links.
enum DesktopProgram {
    private static let name = "xdg-open"

    /// Whether it is in a folder of `PATH`.
    private static var isInstalled: Bool {
        let folders = getenv("PATH").map { String(cString: $0) } ?? ""
        return folders.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    /// Opens a file or a link, and says so; without the program, says what it would open.
    static func open(_ target: String) throws {
        guard isInstalled else {
            return Screen.line("\(name) is not installed; it would open \(target)")
        }
        let arguments: [String] = [name, target]
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, name, nil, nil, &words, environ)
        guard result == 0 else { throw ToolError.system(name, result) }
        var status: Int32 = 0
        guard waitpid(process, &status, 0) == process, status == 0 else {
            throw ToolError("\(name) could not open \(target)")
        }
        Screen.line("opened \(target)")
    }
}
