import Glibc
import RPC

/// The gateway's list of callers, which it reads again when it changes (`CallersList`).
struct CallersFile {
    private static let first = """
        # Who may call the gateway, a line each; `postern applications` writes here too.
        #
        #   NAME [client-address] [certificate=NAME] [METHOD or SERVICE/*]…
        app client-address
        tool client-address

        """

    let path: String

    /// Makes the file where there is none.
    func prepare() throws {
        guard access(path, F_OK) != 0 else { return }
        try write(Self.first)
    }

    /// Adds an application, unless it is there.
    /// - Parameter words: what it may do.
    func add(_ application: String, _ words: [String]) throws {
        var lines = try lines()
        guard !lines.contains(where: { Self.isOf(application, $0) }) else { return }
        lines.append(([application] + words).joined(separator: " "))
        try write(lines.joined(separator: "\n") + "\n")
    }

    /// Takes an application off.
    func remove(_ application: String) throws {
        let lines = try lines().filter { !Self.isOf(application, $0) }
        try write(lines.joined(separator: "\n") + "\n")
    }

    private func lines() throws -> [String] {
        try prepare()
        let text = try String(decoding: TextFile.read(path), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// What the gateway would refuse is not written: it would keep its earlier list.
    private func write(_ text: String) throws {
        _ = try CallersList(text: text)
        try TextFile.replace(path, with: text)
        try KeyFolders.handToFoldersOwner(path)
    }

    private static func isOf(_ application: String, _ line: String) -> Bool {
        line.split { $0 == " " || $0 == "\t" }.first.map(String.init) == application
    }
}
