import Glibc
import JSON
import ServiceRuntime

/// The file of `audit watch --state`: for each service the position up to which its entries were
/// printed, and the time of the entry there, by which a restore of the service is noticed.
struct WatchState: Sendable {
    let path: String

    /// The positions; empty if there is no file yet.
    /// - Throws: `ToolError` for a file that is not one of positions: with the wrong ones entries
    ///   would be missing.
    func read() throws -> [String: AuditWatch.Position] {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return [:] }
        guard let object = JSONReader.object(in: try TextFile.read(path)) else { throw broken }
        return try object.members.reduce(into: [:]) { positions, member in
            guard let position = member.value.object?["position"]?.integer,
                let atMs = member.value.object?["at_ms"]?.integer
            else { throw broken }
            positions[member.name] = AuditWatch.Position(position: position, atMs: atMs)
        }
    }

    private var broken: ToolError {
        ToolError("\(path) has no positions of audit trails; remove it, and name --since")
    }

    /// Replaces the positions.
    func write(_ positions: [String: AuditWatch.Position]) throws {
        let members = positions.sorted { $0.key < $1.key }.map { service, position in
            JSONObject.Member(
                name: service,
                value: .object([
                    "position": .integer(position.position), "at_ms": .integer(position.atMs),
                ]))
        }
        try TextFile.replace(path, with: JSONWriter.text(JSONObject(unique: members)) + "\n")
    }
}

/// Where `audit watch` writes.
struct WatchedLines: Sendable {
    private let isJSON: Bool
    /// The file; nil for standard output.
    private let path: String?

    /// - Throws: `ToolError` if the file cannot be written.
    init(isJSON: Bool, path: String?) throws {
        (self.isJSON, self.path) = (isJSON, path)
        if let path { try Self.endLastLine(of: path) }
    }

    /// Writes a line for each entry. They are on disk on return, or with the reader of the output.
    /// The file is opened each time, so that it can be moved away.
    func write(_ entries: [AuditWatch.Entry]) throws {
        guard !entries.isEmpty else { return }
        let lines = entries.map { entry in
            let row = entry.event.row(of: entry.service)
            return isJSON ? JSONWriter.text(row.json, .shown) : row.line
        }
        guard let path else { return try lines.forEach(Screen.item) }
        let file = try OutputFile(path, flags: O_APPEND)
        try file.write(lines.map { "\($0)\n" }.joined())
        try file.sync()
    }

    /// Ends a line that a crash has cut off, so that the next one is whole; it comes again.
    private static func endLastLine(of path: String) throws {
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT else { throw ToolError.system(path, errno) }
            return
        }
        defer { close(file) }
        var last: UInt8 = 0
        let end = lseek(file, -1, SEEK_END)
        guard end >= 0, Glibc.read(file, &last, 1) == 1, last != UInt8(ascii: "\n") else { return }
        guard Glibc.write(file, "\n", 1) == 1 else { throw ToolError.system(path, errno) }
    }
}
