import Messages
import RPC

/// Records that are sent to the service in one call.
struct ImportBatch: Sendable {
    /// The maximum that the service accepts in one call.
    private static let recordsMax = 200
    /// A server accepts frames of 128 KiB; the rest is for the envelope of the records.
    private static let bytesMax = 96 * 1_024

    private(set) var accounts: [IdentityV1.AccountRecord] = []
    /// Records that the reader has rejected.
    private(set) var refused: [RefusedRecord] = []
    /// Data that the file lacks, and records that were left out.
    private(set) var lost: [String] = []
    /// The position at which the last of them ends.
    private(set) var end: Int64
    private var bytes = 0

    /// An empty batch.
    init(from position: Int64) { end = position }

    /// Whether another record might exceed the limits.
    var isFull: Bool {
        accounts.count + refused.count + lost.count >= Self.recordsMax
            || bytes >= Self.bytesMax - RecordReader.recordBytesMax
    }

    /// Adds the result of reading a record that ends at `end`.
    mutating func add(_ read: ReadRecord, lost: [String], end: Int64) {
        self.end = end
        self.lost += lost
        switch read {
        case .account(let record):
            accounts.append(record)
            bytes += record.encodedByteCount + 8
        case .refused(let record): refused.append(record)
        case .left(let what): self.lost.append(what)
        case .parameters: break
        }
    }
}
