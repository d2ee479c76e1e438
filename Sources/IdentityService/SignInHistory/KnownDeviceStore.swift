import ServiceRuntime
import Storage

/// The devices from which each account was signed in to. Stored as a keyed hash of account and
/// device, so that a device has a different hash in each account: a stolen store does not link two
/// accounts of one device.
extension IdentityTables {
    static let knownDevices = """
        CREATE TABLE known_devices (
            device INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts,
            device_key BLOB NOT NULL,
            seen_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX known_devices_by_account ON known_devices (account, device_key);
        """
}

/// Decides whether a sign-in comes from a new device (G-08). Pure:
///
///     device id sent    known    known devices    new
///     no                –        any              no
///     yes               yes      any              no
///     yes               no       none             no: it is the account's first device, or the
///                                                 account is older than this table, and nothing
///                                                 tells whether the device was used before
///     yes               no       some             yes
enum KnownDeviceRule {
    /// Known devices for each account. Beyond this, the least recently used one is dropped; it
    /// counts as new when it returns.
    static let devicesMax = 32

    static func isNew(isNamed: Bool, isKnown: Bool, knownDevices: Int) -> Bool {
        isNamed && !isKnown && knownDevices > 0
    }
}

extension Transaction {
    /// Records a sign-in to an account from a device.
    /// - Returns: whether the device is new (`KnownDeviceRule`).
    func remember(_ deviceKey: [UInt8], of account: AccountID) throws -> Bool {
        let isKnown =
            try execute(
                "UPDATE known_devices SET seen_at_ms = ? WHERE account = ? AND device_key = ?",
                [SQLValue(at), .integer(account.key), .blob(deviceKey)]) > 0
        guard !isKnown else { return false }
        let known = try knownDevices(of: account)
        if known >= KnownDeviceRule.devicesMax { try deleteOldestDevice(of: account) }
        try put(
            "INSERT INTO known_devices (account, device_key, seen_at_ms) VALUES (?, ?, ?)",
            [.integer(account.key), .blob(deviceKey), SQLValue(at)])
        return KnownDeviceRule.isNew(isNamed: true, isKnown: false, knownDevices: known)
    }

    /// Deletes all known devices of an account.
    func removeKnownDevices(of account: AccountID) throws {
        try put("DELETE FROM known_devices WHERE account = ?", [.integer(account.key)])
    }

    private func knownDevices(of account: AccountID) throws -> Int {
        let count = try queryOne(
            "SELECT count(*) FROM known_devices WHERE account = ?", [.integer(account.key)]
        ) { try $0.integer(0) }
        return Int(count ?? 0)
    }

    private func deleteOldestDevice(of account: AccountID) throws {
        try put(
            """
            DELETE FROM known_devices WHERE device = (
                SELECT device FROM known_devices WHERE account = ?
                ORDER BY seen_at_ms, device LIMIT 1)
            """,
            [.integer(account.key)])
    }
}
