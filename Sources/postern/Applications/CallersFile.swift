import Glibc
import RPC

/// The gateway's list of callers, which the gateway reloads when it changes (`CallersList`).
struct CallersFile {
    private static let first = """
        # Who may call the gateway, a line each; `postern applications` writes here too.
        #
        #   NAME [client-address] [certificate=NAME] [METHOD or SERVICE/*]…
        app client-address
        tool client-address
        # The web service: it calls for browsers and phones, and carries the tokens of backends.
        web client-address application-tokens public-methods

        """

    let path: String

    /// Creates the file if it does not exist.
    func prepare() throws {
        guard access(path, F_OK) != 0 else { return }
        try write(Self.first)
    }

    /// Adds an application, unless it is listed.
    /// - Parameter words: its permissions.
    func add(_ application: String, _ words: [String]) throws {
        var lines = try lines()
        guard !lines.contains(where: { Self.isOf(application, $0) }) else { return }
        lines.append(([application] + words).joined(separator: " "))
        try write(lines.joined(separator: "\n") + "\n")
    }

    /// Removes an application.
    func remove(_ application: String) throws {
        let lines = try lines().filter { !Self.isOf(application, $0) }
        try write(lines.joined(separator: "\n") + "\n")
    }

    private func lines() throws -> [String] {
        try prepare()
        let text = try String(decoding: TextFile.read(path), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// Validates the text before it is written: the gateway would reject an invalid list and keep
    /// its earlier one.
    private func write(_ text: String) throws {
        _ = try CallersList(text: text)
        try TextFile.replace(path, with: text)
        try KeyFolders.handToFoldersOwner(path)
    }

    private static func isOf(_ application: String, _ line: String) -> Bool {
        line.split { $0 == " " || $0 == "\t" }.first.map(String.init) == application
    }
}
