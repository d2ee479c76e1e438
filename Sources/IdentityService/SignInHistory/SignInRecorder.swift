import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage

/// Records a sign-in, by any method, in its transaction (G-08): the time, the device and the place.
/// A new device is also written to the audit log. The owner is notified as `SignInMailRule` says.
struct SignInRecorder: AccountWriting, Sendable {
    let settings: IdentitySettings
    let writer: AccountWriter

    /// Records a sign-in.
    /// - Parameters:
    ///   - before: time of the previous sign-in; nil for the first.
    ///   - isSignUp: the account comes to be with it, so the owner gets a welcome instead.
    func record(
        _ account: AccountID, before: Timestamp?, by method: SignInMethod,
        on device: SignInDevice, from origin: CallOrigin, asSignUp isSignUp: Bool = false,
        _ transaction: Transaction
    ) throws -> SignInHistory {
        try transaction.setLastSignIn(account)
        let isNewDevice = try isNew(device, by: method, of: account, from: origin, transaction)
        let place =
            settings.remembersPlaces
            ? try transaction.recordSignIn(
                from: SignInMemory.Origin(origin), before: before, to: account, reader) : nil
        let history = SignInHistory(
            before: before, at: transaction.at, isNewDevice: isNewDevice,
            isNewPlace: place?.isNew ?? false,
            sealedPreviousPlace: place?.sealedPreviousPlace ?? [])
        let isSignIn = !isSignUp && !device.isInOwnSession
        let mail = SignInMailRule.mail(
            settings.signInMail, isNew: history.isNewDevice || history.isNewPlace,
            isSignIn: isSignIn)
        try notifyOwner(mail, account, method, device, transaction)
        return history
    }

    /// Records the device of a call that proved the account's owner and is no sign-in, and tells
    /// the owner of a new one.
    func recordDevice(
        _ device: SignInDevice, by method: SignInMethod, of account: AccountID,
        from origin: CallOrigin, _ transaction: Transaction
    ) throws {
        let isNew = try isNew(device, by: method, of: account, from: origin, transaction)
        let mail = SignInMailRule.mail(settings.signInMail, isNew: isNew, isSignIn: false)
        try notifyOwner(mail, account, method, device, transaction)
    }

    /// Records device and place of a registration. They are the account's first, so no mail is
    /// sent.
    func recordSignUp(
        of account: AccountID, on device: SignInDevice, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws {
        _ = try remember(device, of: account, transaction)
        guard settings.remembersPlaces else { return }
        _ = try transaction.recordSignIn(
            from: SignInMemory.Origin(origin), before: nil, to: account, reader)
    }

    /// Remembers a device, and writes a new one to the audit log.
    private func isNew(
        _ device: SignInDevice, by method: SignInMethod, of account: AccountID,
        from origin: CallOrigin, _ transaction: Transaction
    ) throws -> Bool {
        guard try remember(device, of: account, transaction) else { return false }
        try transaction.audit(
            .newDevice, account, detail: .method(method.name), from: origin)
        return true
    }

    /// Remembers a device.
    ///
    /// A call without a device id counts as one from a new device, and nothing is stored of it.
    /// Attack: somebody who knows the password leaves the id out, so that the owner gets no mail.
    /// An app that never sends an id leaves its accounts without known devices, and those get no
    /// mail; nor does a proof in the account's own session.
    /// - Returns: whether the device is new.
    private func remember(
        _ device: SignInDevice, of account: AccountID, _ transaction: Transaction
    ) throws -> Bool {
        guard let key = device.key(in: account, keys) else {
            return try !device.isInOwnSession && transaction.knownDevices(of: account) > 0
        }
        return try transaction.remember(key, of: account)
    }

    private func notifyOwner(
        _ mail: SignInMailRule.Mail?, _ account: AccountID, _ method: SignInMethod,
        _ device: SignInDevice, _ transaction: Transaction
    ) throws {
        guard let mail, let row = try transaction.account(account) else { return }
        switch mail {
        case .newDevice:
            try notices.write(
                .newDevice, to: row, device.shown, with: [.method(method)], transaction)
        case .signIn:
            let name = try reader.vault(row).open(row.sealedDisplayName, .displayName)
            try notices.write(
                .signIn, to: row, device.shown, with: [.name(name), .method(method)],
                transaction)
        }
    }
}

/// Which notice the owner gets of a sign-in (N-01; D0). Pure:
///
///     sign-in-mail   new device or place   another sign-in   sign-up, proof in the own session
///     never          none                  none              none
///     new            new-device            none              none
///     always         new-device            sign-in           none
///
/// A proof in the own session from a new device or place counts as new too: it may be a thief with
/// the session's tokens and the password.
enum SignInMailRule {
    /// The notice.
    enum Mail: Hashable, Sendable {
        case newDevice
        case signIn
    }

    /// - Parameters:
    ///   - isNew: the device or the place is new.
    ///   - isSignIn: it is a sign-in to an account that exists, and no other proof.
    static func mail(
        _ mode: IdentitySettings.SignInMailMode, isNew: Bool, isSignIn: Bool
    ) -> Mail? {
        switch mode {
        case .never: nil
        case .new: isNew ? .newDevice : nil
        case .always: isNew ? .newDevice : isSignIn ? .signIn : nil
        }
    }
}

/// The device of a sign-in, as the caller describes it, with its program and place.
struct SignInDevice: Hashable, Sendable {
    /// Known devices for each account. Beyond this, the least recently used one is dropped; it
    /// counts as new when it returns.
    static let knownMax = 32

    /// Empty when the caller sent none.
    let id: String
    let shown: DeviceShown
    /// Whether the call is a recent proof in a session of the account.
    let isInOwnSession: Bool

    init(_ device: GatewayV1.Device?, inOwnSession: Bool = false, from origin: CallOrigin) {
        id = device?.deviceId ?? ""
        shown = DeviceShown(device, from: origin)
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
    var isNewPlace = false
    /// Where the previous sign-in was, as people read it, sealed under the account's key; empty if
    /// that is unknown.
    var sealedPreviousPlace: [UInt8] = []

    /// The message as it is stored; `opened` makes it that of a response. After a clock correction
    /// the previous sign-in may appear later than this one; the gap is then 0.
    var message: IdentityV1.SignInHistory {
        let gap = before.map { max(0, at.milliseconds - $0.milliseconds) }
        return IdentityV1.SignInHistory(
            lastSignInAtMs: before?.milliseconds ?? 0, gapMs: gap ?? 0, isNewDevice: isNewDevice,
            isNewPlace: isNewPlace, sealedPreviousPlace: sealedPreviousPlace)
    }
}

extension IdentityV1.SignInHistory {
    /// The message of a response to a sign-in to `row`: its place is opened.
    /// - Throws: if the account's key does not decrypt.
    func opened(of row: AccountRow, _ reader: AccountReader) throws -> IdentityV1.SignInHistory {
        guard !sealedPreviousPlace.isEmpty else { return self }
        var opened = self
        opened.previousPlace = try reader.vault(row).open(sealedPreviousPlace, .previousPlace)
        opened.sealedPreviousPlace = []
        return opened
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
        isNewPlace = history.isNewPlace
        sealedPreviousPlace = history.sealedPreviousPlace
        self.collision = collision
    }

    /// The history that `init(signInTo:history:forgetsDevices:collision:)` stored.
    var history: SignInHistory {
        SignInHistory(
            before: lastSignInAtMs == 0 ? nil : Timestamp(milliseconds: lastSignInAtMs),
            at: Timestamp(milliseconds: authenticatedAtMs), isNewDevice: isNewDevice,
            isNewPlace: isNewPlace, sealedPreviousPlace: sealedPreviousPlace)
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

    /// Deletes what is known of an account's sign-ins: its devices and its places.
    func removeKnownDevices(of account: AccountID) throws {
        try put("DELETE FROM known_devices WHERE account = ?", [.integer(account.key)])
        try removeSignInMemory(of: account)
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
