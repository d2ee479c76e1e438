/// Writes an archive, file after file, as `tar t` reads it (`TarHeader`).
struct TarWriter {
    private let changedAt: Int64
    private let write: ([UInt8]) throws -> Void
    private var entry: BackupEntry?
    /// What the present file still lacks, in bytes.
    private var rest: Int64 = 0
    private var padding = 0

    /// - Parameters:
    ///   - changedAt: the time of all files, in seconds since 1970.
    ///   - write: takes the archive's bytes, in order.
    init(changedAt: Int64, write: @escaping ([UInt8]) throws -> Void) {
        self.changedAt = changedAt
        self.write = write
    }

    /// Begins a file of that length, after the one before is complete.
    /// - Throws: `ToolError` if it is not; what `write` throws.
    mutating func begin(_ entry: BackupEntry, byteCount: Int64) throws {
        try endFile()
        let header = TarHeader(entry, byteCount: byteCount, changedAt: changedAt)
        self.entry = entry
        rest = byteCount
        padding = header.paddingCount
        try write(header.block)
    }

    /// Adds bytes to the file that began last.
    /// - Throws: `ToolError` if they are more than it has; what `write` throws.
    mutating func add(_ bytes: [UInt8]) throws {
        guard Int64(bytes.count) <= rest else { throw Self.wrongLength(entry) }
        rest -= Int64(bytes.count)
        try write(bytes)
    }

    /// Ends the archive.
    /// - Throws: as `begin`.
    mutating func finish() throws {
        try endFile()
        try write([UInt8](repeating: 0, count: 2 * TarHeader.blockBytes))
    }

    private mutating func endFile() throws {
        guard rest == 0 else { throw Self.wrongLength(entry) }
        if padding > 0 { try write([UInt8](repeating: 0, count: padding)) }
        padding = 0
    }

    private static func wrongLength(_ entry: BackupEntry?) -> ToolError {
        ToolError(
            "\(entry?.name ?? "a file") is not as long as its service said; run the backup again")
    }
}
