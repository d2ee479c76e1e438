import Messages
import ServiceRuntime
import Storage

/// A registered device's row.
struct StoredDevice: Hashable, Sendable {
    /// The columns that `init` reads.
    static let columns = "id, account_hash, platform, app, token, seen_at_ms, session_hash"

    let id: PushDeviceID
    let account: [UInt8]
    let platform: PushPlatform
    let app: String
    /// Sealed.
    let token: [UInt8]
    /// When it was last registered or updated; nil for now.
    var seenAt: Timestamp?
    /// Keyed hash of the session that it was registered with; nil for none.
    var session: [UInt8]?
}

extension StoredDevice {
    init(_ row: SQLRow) throws {
        guard let id = PushDeviceID(key: try row.integer("id")),
            let platform = PushPlatform(rawValue: try row.integer("platform"))
        else { throw SQLError(.unexpectedValue, detail: "push_device has unknown values") }
        self.id = id
        self.platform = platform
        account = try row.blob("account_hash")
        app = try row.text("app")
        token = try row.blob("token")
        seenAt = try row.timestamp("seen_at_ms")
        session = try row.optionalBlob("session_hash")
    }

    /// The device in a response, without its token.
    /// - Parameter current: the session whose devices are marked; nil for none.
    func shown(to current: [UInt8]?) -> GatewayV1.PushRegistration {
        GatewayV1.PushRegistration(
            pushDeviceId: id.text, platform: platform.wire, app: app,
            seenAtMs: seenAt?.milliseconds ?? 0,
            isCurrentSession: current != nil && session == current)
    }
}

extension SQLSession {
    /// An account's devices, the one seen last first.
    /// - Parameter session: The keyed hash of a session whose devices are left out; nil for none.
    func devices(
        ofAccount account: [UInt8], except session: [UInt8]? = nil
    ) throws -> [StoredDevice] {
        // No session has the empty hash.
        try query(
            """
            SELECT \(StoredDevice.columns) FROM push_device
            WHERE account_hash = ? AND (session_hash IS NULL OR session_hash <> ?)
            ORDER BY seen_at_ms DESC, id
            """,
            [.blob(account), .blob(session ?? [])], StoredDevice.init)
    }

    /// The device with a token.
    func device(token: [UInt8]) throws -> StoredDevice? {
        try queryOne(
            "SELECT \(StoredDevice.columns) FROM push_device WHERE token_hash = ?",
            [.blob(token)], StoredDevice.init)
    }

    /// A device, if it belongs to this account.
    func device(_ id: Int64, ofAccount account: [UInt8]) throws -> StoredDevice? {
        try queryOne(
            "SELECT \(StoredDevice.columns) FROM push_device WHERE id = ? AND account_hash = ?",
            [.integer(id), .blob(account)], StoredDevice.init)
    }
}

extension Transaction {
    /// Inserts a device, by the keyed hashes of its token and of the recipient of messages to it.
    func insert(
        _ device: StoredDevice, sealedAccount: [UInt8], token: [UInt8], recipient: [UInt8]
    ) throws {
        try put(
            """
            INSERT INTO push_device (
                id, token_hash, account_hash, recipient_hash, session_hash, platform, app, token,
                seen_at_ms, sealed_account)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(device.id.key), .blob(token), .blob(device.account),
                .blob(recipient), SQLValue(device.session),
                .integer(device.platform.rawValue), .text(device.app),
                .blob(device.token), SQLValue(device.seenAt ?? at), .blob(sealedAccount),
            ])
    }

    /// Records that a device is in use, and with which session.
    func touchDevice(
        _ id: PushDeviceID, sealedAccount: [UInt8], app: String, session: [UInt8]?
    ) throws {
        try put(
            """
            UPDATE push_device
            SET app = ?, session_hash = ?, seen_at_ms = ?, sealed_account = ? WHERE id = ?
            """,
            [
                .text(app), SQLValue(session), SQLValue(at), .blob(sealedAccount),
                .integer(id.key),
            ])
    }

    /// Replaces a device's token.
    func replaceToken(of id: PushDeviceID, by token: [UInt8], hash: [UInt8]) throws {
        try put(
            "UPDATE push_device SET token = ?, token_hash = ?, seen_at_ms = ? WHERE id = ?",
            [.blob(token), .blob(hash), SQLValue(at), .integer(id.key)])
    }

    /// Deletes a device.
    /// - Returns: how many rows were deleted.
    @discardableResult
    func dropDevice(_ id: PushDeviceID) throws -> Int {
        try execute("DELETE FROM push_device WHERE id = ?", [.integer(id.key)])
    }

    /// Deletes a device that its provider reports as dead, unless it was seen after `moment`.
    func dropDeadDevice(_ recipient: [UInt8], seenUpTo moment: Timestamp) throws {
        // The whole table: the account is not known before the deletion, and this is rare.
        try lock(.table("push_device"))
        let dropped = try query(
            """
            DELETE FROM push_device WHERE recipient_hash = ? AND seen_at_ms <= ?
            RETURNING account_hash
            """,
            [.blob(recipient), SQLValue(moment)]
        ) { try $0.blob(0) }
        for account in dropped { try audit(AuditEvent(.pushDeviceDead, subject: account)) }
    }

    /// Deletes the devices that an account registered with a session.
    func dropDevices(ofAccount account: [UInt8], session: [UInt8]) throws -> Int {
        try execute(
            "DELETE FROM push_device WHERE account_hash = ? AND session_hash = ?",
            [.blob(account), .blob(session)])
    }

    /// Deletes all devices of an account. Also called when the account is erased.
    func dropDevices(ofAccount account: [UInt8]) throws -> Int {
        try execute("DELETE FROM push_device WHERE account_hash = ?", [.blob(account)])
    }

    /// Deletes a session's devices beyond the maximum, the one seen longest ago first.
    func dropDevices(ofAccount account: [UInt8], session: [UInt8], beyond most: Int) throws {
        try put(
            """
            DELETE FROM push_device WHERE id IN (
                SELECT id FROM push_device WHERE account_hash = ?1 AND session_hash = ?2
                ORDER BY seen_at_ms DESC, id LIMIT 9223372036854775807 OFFSET ?3)
            AND account_hash = ?1 AND session_hash = ?2
            """,
            [.blob(account), .blob(session), .integer(Int64(most))])
    }

    /// Deletes an account's devices beyond the maximum, the one seen longest ago first.
    func dropDevices(ofAccount account: [UInt8], beyond most: Int) throws -> Int {
        try execute(
            """
            DELETE FROM push_device WHERE id IN (
                SELECT id FROM push_device WHERE account_hash = ?1
                ORDER BY seen_at_ms DESC, id LIMIT 9223372036854775807 OFFSET ?2)
            AND account_hash = ?1
            """,
            [.blob(account), .integer(Int64(most))])
    }
}
