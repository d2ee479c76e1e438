import ServiceRuntime

/// What the stores have of an account, read before its deletion, so that a test can search for it
/// afterwards: in all tables, and byte by byte in all files. A text in clear would prove little,
/// because what the stores have of a person is sealed.
///
/// A row is the account's if it has the number of the account, of a session or of a device of it, or
/// the keyed hash by which notification knows it.
struct StoredAccount: Sendable {
    /// What may stay of a deleted account: numbers and keyed hashes, in these columns, or in all of a
    /// table (Sources/ACCOUNT_DATA.md). `*` is each service.
    private static let kept: [(place: String, columns: [String], reason: String)] = [
        ("*.audit", [], "outlives an account, and names it by a number that no account has"),
        (
            "identity.unrequested_mails", ["address_key"],
            "counts mails to an address over deleted accounts too; purged after an hour"
        ),
        ("session.account_end", [], "refuses sign-in proofs of before; purged after a day"),
        ("session.session_end", [], "a start reads revoked tokens from it; purged after 2 hours"),
        ("notification.event", [], "kinds and numbers only; purged after 7 days"),
        (
            "notification.message", ["call_hash", "fingerprint", "recipient_hash"],
            "the record of a call, without account and content; purged after 7 days"
        ),
    ]
    /// Shorter values are no hashes and not sealed.
    private static let bytesMin = 16
    /// Longer than any keyed hash, so it is sealed. SQLite can leave keys of indexes behind in a
    /// page, which is why they are hashes (Sources/SECURITY.md, Erasure).
    private static let sealedBytesMin = 33

    private var numbers: Set<Int64>
    private var hashes: Set<[UInt8]> = []
    private var bytes: Set<[UInt8]> = []
    /// The tables that had rows of it, each as `identity.accounts`.
    private(set) var tables: Set<String> = []

    /// - Parameter ids: of accounts and push devices, `acc_…` and `dev_…`.
    init(_ ids: String...) throws {
        numbers = []
        for id in ids {
            guard let number = AccountID(text: id)?.key ?? PushDeviceID(text: id)?.key else {
                throw ClusterError(message: "no account and no device: \(id)")
            }
            numbers.insert(number)
        }
    }

    /// Adds what the stores have of the account now.
    mutating func read(_ cells: [StoredCell]) {
        let rows = Dictionary(grouping: cells, by: \.row)
        // What is found by a number has other numbers, which find more.
        var found = 0
        repeat {
            found = numbers.count + hashes.count
            for (row, cells) in rows where cells.contains(where: isKey) {
                for cell in cells {
                    switch (row.place, cell.column, cell.value) {
                    case ("session.session", "id", .number(let number)): numbers.insert(number)
                    case ("notification.push_device", "account_hash", .bytes(let hash)):
                        hashes.insert(hash)
                    default: break
                    }
                }
            }
        } while numbers.count + hashes.count > found
        for (row, cells) in rows where cells.contains(where: isKey) {
            tables.insert(row.place)
            for cell in cells where !Self.isKept(cell) {
                guard case .bytes(let value) = cell.value, value.count >= Self.bytesMin else {
                    continue
                }
                bytes.insert(value)
            }
        }
    }

    private func isKey(_ cell: StoredCell) -> Bool {
        switch cell.value {
        case .number(let number): numbers.contains(number)
        case .bytes(let value): hashes.contains(value)
        case .text: false
        }
    }

    /// Where the stores have a number, a keyed hash or something sealed of the account, apart from
    /// what may stay.
    func left(in cells: [StoredCell]) -> [String] {
        cells.filter { cell in
            guard !Self.isKept(cell) else { return false }
            if case .bytes(let value) = cell.value, bytes.contains(value) { return true }
            return isKey(cell)
        }.map(\.place)
    }

    /// The files that have something sealed of the account. For a cluster with few accounts: SQLite
    /// overwrites what it deletes, but not always what it has moved to another page.
    func left(in files: [Cluster.DataFile]) -> [String] {
        let sealed = bytes.filter { $0.count >= Self.sealedBytesMin }
        return files.filter { file in sealed.contains { file.holds($0) } }.map(\.path)
    }

    private static func isKept(_ cell: StoredCell) -> Bool {
        kept.contains { place, columns, _ in
            (place == cell.row.place || place == "*.\(cell.row.table)")
                && (columns.isEmpty || columns.contains(cell.column))
        }
    }
}
