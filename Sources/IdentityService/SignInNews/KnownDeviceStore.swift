import ServiceRuntime
import Storage

/// The devices that each account was signed in to from, by a keyed hash over account and device: the
/// same device has another one in each account, so that a stolen store joins no two of them.
enum KnownDeviceTables {
    static let sql = """
        CREATE TABLE known_devices (
            device INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts,
            device_key BLOB NOT NULL,
            seen_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX known_devices_by_account ON known_devices (account, device_key);
        """
}

extension Transaction {
    /// Remembers that an account is signed in to from a device.
    /// - Returns: whether it is new (`KnownDeviceRule`).
    func remember(_ deviceKey: [UInt8], of account: AccountID) throws -> Bool {
        let isKnown =
            try execute(
                "UPDATE known_devices SET seen_at_ms = ? WHERE account = ? AND device_key = ?",
                [SQLValue(at), .integer(account.key), .blob(deviceKey)]) > 0
        guard !isKnown else { return false }
        let known = try knownDevices(of: account)
        if known >= KnownDeviceRule.devicesMax { try forgetOldestDevice(of: account) }
        try execute(
            "INSERT INTO known_devices (account, device_key, seen_at_ms) VALUES (?, ?, ?)",
            [.integer(account.key), .blob(deviceKey), SQLValue(at)])
        return KnownDeviceRule.isNew(isNamed: true, isKnown: false, knownDevices: known)
    }

    /// Forgets all devices of an account.
    func removeKnownDevices(of account: AccountID) throws {
        try execute("DELETE FROM known_devices WHERE account = ?", [.integer(account.key)])
    }

    private func knownDevices(of account: AccountID) throws -> Int {
        let count = try queryOne(
            "SELECT count(*) FROM known_devices WHERE account = ?", [.integer(account.key)]
        ) { try $0.integer(0) }
        return Int(count ?? 0)
    }

    private func forgetOldestDevice(of account: AccountID) throws {
        try execute(
            """
            DELETE FROM known_devices WHERE device = (
                SELECT device FROM known_devices WHERE account = ?
                ORDER BY seen_at_ms, device LIMIT 1)
            """,
            [.integer(account.key)])
    }
}
