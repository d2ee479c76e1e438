import Messages
import RPC

/// Records that go to the service together.
struct ImportBatch: Sendable {
    /// As many as the service takes at once.
    private static let recordsMax = 200
    /// A server takes frames of 128 KiB; the rest is for what surrounds the records.
    private static let bytesMax = 96 * 1_024

    private(set) var accounts: [IdentityV1.AccountRecord] = []
    /// What the file's reader has refused already.
    private(set) var refused: [RefusedRecord] = []
    /// What is lost, and what was left out.
    private(set) var lost: [String] = []
    /// Where the last of them ends.
    private(set) var end: Int64
    private var bytes = 0

    /// An empty batch.
    init(from position: Int64) { end = position }

    /// Whether one more record could be too much.
    var isFull: Bool {
        accounts.count + refused.count + lost.count >= Self.recordsMax
            || bytes >= Self.bytesMax - RecordReader.recordBytesMax
    }

    /// Adds what a record that ends at `end` came to.
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
