import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage

/// Records a sign-in, by any method, in its transaction (G-08): the time and the device. A new
/// device is also written to the audit log and mailed to the owner (N-01).
struct SignInRecorder: AccountWriting, Sendable {
    let settings: IdentitySettings
    let writer: AccountWriter

    /// Records a sign-in.
    /// - Parameter before: time of the previous sign-in; nil for the first.
    func record(
        _ account: AccountID, before: Timestamp?, by method: SignInMethod,
        on device: SignInDevice, from origin: CallOrigin, _ transaction: Transaction
    ) throws -> SignInHistory {
        try transaction.setLastSignIn(account)
        let isNew = try recordDevice(device, by: method, of: account, from: origin, transaction)
        return SignInHistory(before: before, at: transaction.at, isNewDevice: isNew)
    }

    /// Records the device of a call that proved the account's owner, and tells the owner of a new
    /// one.
    /// - Returns: whether the device is new.
    func recordDevice(
        _ device: SignInDevice, by method: SignInMethod, of account: AccountID,
        from origin: CallOrigin, _ transaction: Transaction
    ) throws -> Bool {
        let isNew = try remember(device, of: account, transaction)
        if isNew { try notifyOwner(account, method, device, origin, transaction) }
        return isNew
    }

    /// Records the device of a registration. It is the account's first device, so no mail is sent.
    ///
    /// A call without a device id counts as one from a new device, and nothing is stored of it.
    /// Attack: somebody who knows the password leaves the id out, so that the owner gets no mail.
    /// An app that never sends an id leaves its accounts without known devices, and those get no
    /// mail; nor does a proof in the account's own session.
    /// - Returns: whether the device is new.
    func remember(
        _ device: SignInDevice, of account: AccountID, _ transaction: Transaction
    ) throws -> Bool {
        guard let key = device.key(in: account, keys) else {
            return try !device.isInOwnSession && transaction.knownDevices(of: account) > 0
        }
        return try transaction.remember(key, of: account)
    }

    /// Attack: somebody registers with another person's address and signs in from many new devices,
    /// to make the service send mail there. Only a verified address therefore gets the mail.
    private func notifyOwner(
        _ account: AccountID, _ method: SignInMethod, _ device: SignInDevice,
        _ origin: CallOrigin, _ transaction: Transaction
    ) throws {
        try transaction.audit(
            .newDevice, account, detail: .method(method.name), from: origin)
        guard settings.tellsNewDevices,
            try transaction.account(account)?.address?.provedAt != nil
        else { return }
        try notices.write(
            .newDevice, to: account, device.shown, with: [.method(method)], transaction)
    }
}

/// The device of a sign-in, as the caller describes it, and where it is.
struct SignInDevice: Hashable, Sendable {
    /// Known devices for each account. Beyond this, the least recently used one is dropped; it
    /// counts as new when it returns.
    static let knownMax = 32

    /// Empty when the caller sent none.
    let id: String
    let shown: DeviceShown
    /// Whether the call is a recent proof in a session of the account.
    let isInOwnSession: Bool

    init(_ device: GatewayV1.Device?, inOwnSession: Bool = false, at place: Place?) {
        id = device?.deviceId ?? ""
        shown = DeviceShown(device, at: place)
        isInOwnSession = inOwnSession
    }

    /// The keyed hash that identifies the device within an account; nil without a device id.
    func key(in account: AccountID, _ keys: IdentityKeys) -> [UInt8]? {
        guard !id.isEmpty else { return nil }
        return keys.devices.lookUpKey(
            DelimitedParts.joined([Array(account.text.utf8), Array(id.utf8)]))
    }
}

/// What a sign-in reports about the previous one (G-08).
struct SignInHistory: Hashable, Sendable {
    /// Time of the previous sign-in; nil for the first.
    let before: Timestamp?
    /// Time of this sign-in.
    let at: Timestamp
    let isNewDevice: Bool

    /// The response message. After a clock correction the previous sign-in may appear later than
    /// this one; the gap is then 0.
    var message: IdentityV1.SignInHistory {
        let gap = before.map { max(0, at.milliseconds - $0.milliseconds) }
        return IdentityV1.SignInHistory(
            lastSignInAtMs: before?.milliseconds ?? 0, gapMs: gap ?? 0, isNewDevice: isNewDevice)
    }
}

extension IdentityV1.StoredResponse {
    /// The stored response of a sign-in with its history, so that a retry returns the same.
    /// - Parameters:
    ///   - row: the account after it.
    ///   - forgetsDevices: for a password reset: what its response says of known devices.
    ///   - collision: for a sign-in by a guest: the guest is another account.
    init(
        signInTo row: AccountRow, history: SignInHistory, forgetsDevices: Bool = false,
        collision: GatewayV1.Collision? = nil
    ) {
        self.init(repeatedByPasswordOf: row, forgetsDevices: forgetsDevices)
        authenticatedAtMs = history.at.milliseconds
        lastSignInAtMs = history.before?.milliseconds ?? 0
        isNewDevice = history.isNewDevice
        self.collision = collision
    }

    /// The history that `init(signInTo:history:forgetsDevices:collision:)` stored.
    var history: SignInHistory {
        SignInHistory(
            before: lastSignInAtMs == 0 ? nil : Timestamp(milliseconds: lastSignInAtMs),
            at: Timestamp(milliseconds: authenticatedAtMs), isNewDevice: isNewDevice)
    }
}

/// The devices from which each account was signed in to. Stored as a keyed hash of account and
/// device, so that a device has a different hash in each account: a stolen store does not link two
/// accounts of one device.
extension IdentityTables {
    /// The table `known_devices`.
    package static let knownDevices = """
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
    /// Records a sign-in to an account from a device.
    /// - Returns: whether the device is new (G-08). Where the account knows no device, it is not: it
    ///   is the account's first one, or the account is older than `known_devices`, and nothing says
    ///   whether the device was used before.
    func remember(_ deviceKey: [UInt8], of account: AccountID) throws -> Bool {
        let isKnown =
            try execute(
                "UPDATE known_devices SET seen_at_ms = ? WHERE account = ? AND device_key = ?",
                [SQLValue(at), .integer(account.key), .blob(deviceKey)]) > 0
        guard !isKnown else { return false }
        let known = try knownDevices(of: account)
        if known >= SignInDevice.knownMax { try deleteOldestDevice(of: account) }
        try put(
            "INSERT INTO known_devices (account, device_key, seen_at_ms) VALUES (?, ?, ?)",
            [.integer(account.key), .blob(deviceKey), SQLValue(at)])
        return known > 0
    }

    /// Deletes all known devices of an account.
    func removeKnownDevices(of account: AccountID) throws {
        try put("DELETE FROM known_devices WHERE account = ?", [.integer(account.key)])
    }

    fileprivate func knownDevices(of account: AccountID) throws -> Int {
        let count = try queryOne(
            "SELECT count(*) FROM known_devices WHERE account = ?", [.integer(account.key)]
        ) { try $0.integer(0) }
        return Int(count ?? 0)
    }

    private func deleteOldestDevice(of account: AccountID) throws {
        try put(
            """
            DELETE FROM known_devices WHERE device = (
                SELECT device FROM known_devices WHERE account = ?1
                ORDER BY seen_at_ms, device LIMIT 1)
            AND account = ?1
            """,
            [.integer(account.key)])
    }
}
