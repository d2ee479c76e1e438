import Storage

/// A sequence of records in one frame of the journal.
struct LimitRecords: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    /// - Throws: `JournalError.unknownContent` if the bytes are not records of states that this
    ///   version knows.
    init(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        self.bytes = bytes
        while place < bytes.count {
            guard let record = record, record.state != nil else { throw .unknownContent }
            place += record.length
        }
        place = 0
    }

    mutating func next() -> LimitRecord? {
        guard place < bytes.count, let record else { return nil }
        place += record.length
        return record
    }

    private var record: LimitRecord? {
        LimitRecord(UnsafeRawBufferPointer(rebasing: bytes[place...]))
    }

    /// The number of records if their keys ascend; else nil.
    var ascending: Int? {
        var count = 0
        var last: LimitKey?
        for record in self {
            if let last, !last.isBefore(record.key) { return nil }
            last = record.key
            count += 1
        }
        return count
    }
}
