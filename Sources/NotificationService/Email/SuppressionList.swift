import ServiceRuntime
import Storage

/// The suppression list: addresses that get no more mail, because a mail server has answered that
/// the mailbox does not exist. Sending to them would damage the operator's reputation with mail
/// servers, and so the delivery of all mail.
///
/// Addresses are stored as keyed hashes only. An entry expires after `suppressedFor`, because
/// mailboxes are created again and given to others, or is removed by the operator.
struct SuppressionList: Sendable {
    /// How long an address is suppressed.
    static let suppressedFor: Duration = .seconds(90 * 24 * 3_600)

    let store: Store
    let keys: NotificationKeys
    let time: any Time

    /// Whether the address is suppressed.
    func contains(_ address: MailAddress) async throws -> Bool {
        let now = time.now()
        let hashes = keys.suppressionHashes(of: address)
        return try await store.read { try $0.suppression(of: hashes, at: now) != nil }
    }
}

extension NotificationKeys {
    /// The keyed hashes under which an address may be suppressed. New entries are stored under the
    /// first one, the mailbox's canonical form.
    ///
    /// The second is the hash of the address as written, if that differs. Earlier versions stored
    /// entries under it, and such an entry lasts `SuppressionList.suppressedFor`. A message that an
    /// earlier version accepted also creates one.
    func suppressionHashes(of address: MailAddress) -> [[UInt8]] {
        let (canonical, written) = (address.canonical, Array(address.text.utf8))
        return (written == canonical ? [canonical] : [canonical, written]).map(recipient)
    }
}

extension Transaction {
    /// Suppresses an address. A later reason replaces an earlier one.
    func suppressAddress(_ hash: [UInt8], reason: String) throws {
        try put(
            """
            INSERT INTO stopped_address (address_hash, reason, stopped_at_ms) VALUES (?1, ?2, ?3)
            ON CONFLICT (address_hash) DO UPDATE SET reason = ?2, stopped_at_ms = ?3
            """,
            [.blob(hash), .text(reason), SQLValue(at)])
        try audit(AuditEvent(.addressStopped, subject: hash))
    }

    /// Removes an address from the list.
    /// - Parameters:
    ///   - hashes: `NotificationKeys.suppressionHashes`.
    ///   - actor: the application of the operator; nil for a provider's notice.
    /// - Returns: whether it was suppressed.
    func releaseAddress(_ hashes: [[UInt8]], by actor: String? = nil) throws -> Bool {
        var wasStopped = false
        for hash in hashes {
            let freed = try execute(
                "DELETE FROM stopped_address WHERE address_hash = ?", [.blob(hash)])
            guard freed > 0 else { continue }
            try audit(AuditEvent(.addressReleased, subject: hash).by(actor))
            wasStopped = true
        }
        return wasStopped
    }
}

extension Transaction {
    /// Deletes the suppression of addresses and numbers, by their keyed hashes, because their
    /// account is deleted.
    /// - Returns: how many rows were deleted.
    func forgetSuppression(_ addresses: [[UInt8]], _ numbers: [[UInt8]]) throws -> Int {
        let ofAddresses = try addresses.map {
            try execute("DELETE FROM stopped_address WHERE address_hash = ?", [.blob($0)])
        }
        let ofNumbers = try numbers.map {
            try execute("DELETE FROM stopped_number WHERE recipient_hash = ?", [.blob($0)])
        }
        return (ofAddresses + ofNumbers).reduce(0, +)
    }
}

extension SuppressionList {
    /// The entry of one address.
    struct Entry: Hashable, Sendable {
        /// The mail server's reason.
        let reason: String
        let at: Timestamp

        /// When it expires.
        var until: Timestamp { at + suppressedFor }
    }
}

extension SQLSession {
    /// The latest entry of an address; nil when it is not suppressed at `now`.
    /// - Parameter hashes: `NotificationKeys.suppressionHashes`.
    func suppression(of hashes: [[UInt8]], at now: Timestamp) throws -> SuppressionList.Entry? {
        let entries: [SuppressionList.Entry] = try hashes.compactMap { hash in
            try queryOne(
                "SELECT reason, stopped_at_ms FROM stopped_address WHERE address_hash = ?",
                [.blob(hash)]
            ) { SuppressionList.Entry(reason: try $0.text(0), at: try $0.timestamp(1)) }
        }
        return entries.filter { now < $0.until }.max { $0.at < $1.at }
    }
}

/// Numbers that a provider reported as dead. They are suppressed for one day only: numbers come
/// back into service, and an owner who has sent "stop" may send "start".
extension Transaction {
    /// How long a dead number is suppressed.
    private static var suppressedFor: Duration { .seconds(24 * 3_600) }

    /// Records a dead number by its keyed hash.
    func suppressNumber(_ recipient: [UInt8], reason: String) throws {
        try put(
            """
            INSERT INTO stopped_number (recipient_hash, reason, until_ms) VALUES (?, ?, ?)
            ON CONFLICT (recipient_hash) DO UPDATE
            SET reason = excluded.reason, until_ms = excluded.until_ms
            """,
            [.blob(recipient), .text(reason), SQLValue(at + Self.suppressedFor)])
    }
}

extension SQLSession {
    /// Whether a number is suppressed at `now`.
    func isNumberSuppressed(_ recipient: [UInt8], at now: Timestamp) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM stopped_number WHERE recipient_hash = ? AND until_ms > ?",
            [.blob(recipient), SQLValue(now)]
        ) { _ in true } ?? false
    }
}
