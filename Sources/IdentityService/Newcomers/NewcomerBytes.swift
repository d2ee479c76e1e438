import Cryptography
package import ServiceRuntime
package import Storage

/// What newcomers may add to the store and the blobs in a day: guests of any age, and accounts in their first day.
///
/// Attack: a stranger creates guests by the dozen each hour, with documents and a photo each, lets
/// each of them write as often as an account may, and fills the disk and every backup. Each account
/// alone stays within its own limits.
///
///     who pays                         when
///     a guest                          it has added `ofGuest` today
///     all newcomers at one address     they have added `ofAddress` today
///     nobody else                      an account that is older than a day is not counted
///
/// A day is one of UTC. An address is an IPv4 address or an IPv6 /48, which is what one customer has.
/// Callers without an address share one.
package struct NewcomerBytes: Hashable, Sendable {
    /// What a call counts at least, in bytes: an audit row and a stored response, with their entries
    /// in indexes.
    package static let callBytes = 512
    /// How long an account is new.
    fileprivate static let newFor = Duration.seconds(86_400)
    private static let day = Duration.seconds(86_400)

    /// Bytes that one guest may add in a day.
    var ofGuest: Int
    /// Bytes that all newcomers at one address may add in a day.
    var ofAddress: Int

    /// Creates the limits, in bytes.
    init(ofGuest: Int, ofAddress: Int) {
        self.ofGuest = ofGuest
        self.ofAddress = ofAddress
    }

    /// The day that a moment falls into, since 1970.
    fileprivate static func day(of moment: Timestamp) -> Int64 {
        moment.milliseconds / day.milliseconds
    }

    /// The time from a moment to the end of its day.
    fileprivate static func rest(of moment: Timestamp) -> Duration {
        .milliseconds(day.milliseconds - moment.milliseconds % day.milliseconds)
    }

    /// The sums of a day, by holder: the keyed hash of an address, or a guest's number in 8 bytes.
    package static let table = """
        CREATE TABLE newcomer_bytes (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            day INTEGER NOT NULL,
            holder BLOB NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX newcomer_bytes_key ON newcomer_bytes (day, holder);
        """

    /// Deletes the rows of days that are over.
    static let purge = Purge { session, now in
        try session.queryOne(
            "SELECT 1 FROM newcomer_bytes WHERE day < ? LIMIT 1", [.integer(day(of: now))]
        ) { _ in true } ?? false
    } remove: { transaction, rowsMax in
        try transaction.execute(
            """
            DELETE FROM newcomer_bytes WHERE number IN (
                SELECT number FROM newcomer_bytes WHERE day < ?1 ORDER BY day LIMIT ?2)
            AND day < ?1
            """, [.integer(day(of: transaction.at)), .integer(Int64(rowsMax))])
    }
}

/// A guest, or an account in its first day.
package struct Newcomer: Hashable, Sendable {
    fileprivate let account: Int64
    fileprivate let isGuest: Bool

    /// - Parameters:
    ///   - account: The account's key.
    ///   - moment: Now.
    /// - Returns: nil for an older account.
    package init?(account: Int64, isGuest: Bool, createdAt: Timestamp, at moment: Timestamp) {
        guard isGuest || moment < createdAt + NewcomerBytes.newFor else { return nil }
        self.account = account
        self.isGuest = isGuest
    }
}

extension Transaction {
    /// Counts bytes that a newcomer adds, if there is room for them.
    /// - Parameters:
    ///   - newcomer: Nil for others, who are not counted.
    ///   - origin: Where the call comes from.
    /// - Returns: false if there is no room; then nothing is counted.
    /// - Throws: `SQLError`.
    func count(
        _ bytes: Int, of newcomer: Newcomer?, from origin: CallOrigin, within limits: NewcomerBytes
    ) throws -> Bool {
        guard let newcomer else { return true }
        let address = origin.customer ?? []
        // Other newcomers at this address write at the same time.
        try lock(.hash(address))
        let sums = [
            (holder: address, bytesMax: limits.ofAddress),
            (holder: [newcomer.account].bigEndianBytes, bytesMax: limits.ofGuest),
        ].prefix(newcomer.isGuest ? 2 : 1)
        for sum in sums {
            let now = try newcomerBytes(of: sum.holder)
            guard now + Int64(bytes) <= Int64(sum.bytesMax) else { return false }
        }
        for sum in sums {
            try put(
                """
                INSERT INTO newcomer_bytes (day, holder, bytes) VALUES (?, ?, ?)
                ON CONFLICT (day, holder)
                DO UPDATE SET bytes = newcomer_bytes.bytes + excluded.bytes
                """,
                [
                    .integer(NewcomerBytes.day(of: at)), .blob(sum.holder),
                    .integer(Int64(bytes)),
                ])
        }
        return true
    }

    /// As `count`, for what is not done without room.
    /// - Throws: `auth/too-many-requests` with the wait until the day is over; `SQLError`.
    package func requireRoom(
        for bytes: Int, of newcomer: Newcomer?, from origin: CallOrigin,
        within limits: NewcomerBytes
    ) throws {
        guard try count(bytes, of: newcomer, from: origin, within: limits) else {
            throw ServiceError(.tooManyRequests, retryAfter: NewcomerBytes.rest(of: at))
        }
    }

    /// Records that a change of an account's ways to sign in or factors is refused: a row, for which a
    /// newcomer needs room.
    /// - Returns: the error, to be thrown after the commit.
    /// - Throws: as `requireRoom`.
    func refusal(
        _ code: ErrorCode, _ kind: AuditKind, of row: AccountRow, detail: AuditDetail? = nil,
        from origin: CallOrigin, within limits: NewcomerBytes
    ) throws -> ServiceError {
        try requireRoom(
            for: NewcomerBytes.callBytes, of: row.newcomer(at: at), from: origin, within: limits)
        try audit(kind, row.account, detail: detail, from: origin, outcome: code)
        return ServiceError(code)
    }

    private func newcomerBytes(of holder: [UInt8]) throws -> Int64 {
        try queryOne(
            "SELECT bytes FROM newcomer_bytes WHERE day = ? AND holder = ?",
            [.integer(NewcomerBytes.day(of: at)), .blob(holder)]
        ) { try $0.integer(0) } ?? 0
    }
}
