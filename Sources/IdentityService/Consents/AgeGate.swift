import Cryptography
package import ServiceRuntime
package import Storage

/// The age gate at one sign-up (G-23): reads what `AgeRule` needs, and writes what follows.
///
/// A device that gave a birth date below the least age is remembered for 24 hours, by a keyed hash
/// of its id. A call without a device id is judged by its date alone: others share its address.
package struct AgeGate: AccountWriting, Sendable {
    /// How long a device is remembered.
    static let deviceLife: Duration = .seconds(24 * 3_600)
    /// How long an account may wait for the consent of a parent.
    package static let parentLife: Duration = .seconds(7 * 24 * 3_600)

    let settings: AgeSettings
    /// Writes accounts.
    package let writer: AccountWriter
    let acceptance: Acceptance
    let origin: CallOrigin
    /// Nil without a device id.
    private let deviceKey: [UInt8]?

    /// The gate at a sign-up.
    init(
        _ settings: AgeSettings, _ acceptance: Acceptance, _ device: SignInDevice,
        from origin: CallOrigin, _ writer: AccountWriter
    ) {
        self.settings = settings
        self.writer = writer
        self.acceptance = acceptance
        self.origin = origin
        deviceKey = device.underageKey(writer.keys)
    }

    /// Whether the sign-up goes on.
    /// - Returns: `.ok`, `.parentNeeded`, or `.underage`, which the caller records (`refuse`).
    /// - Throws: as `AgeRule.outcome`.
    func outcome(
        in session: some SQLSession, at moment: Timestamp
    ) throws -> AgeRule.Outcome {
        guard settings.gate == .required else { return .ok }
        guard let today = CalendarDate(of: moment) else {
            throw ServiceError(.internalError, detail: "the clock is beyond the year 9999")
        }
        return try AgeRule.outcome(
            settings, birthDate: acceptance.birthDateText,
            wasYounger: try deviceKey.map { try session.isUnderage($0, at: moment) } ?? false,
            on: today)
    }

    /// Records that a sign-up was refused.
    /// - Parameter account: The calling guest's; nil without one.
    func refuse(_ account: AccountID?, _ transaction: Transaction) throws {
        try remember(transaction)
        try transaction.audit(
            .underageRefused, account, from: origin, outcome: .underageUser)
    }

    /// Writes what the outcome means for the account that the sign-up has made.
    func admit(
        _ account: AccountID, _ outcome: AgeRule.Outcome, _ transaction: Transaction
    ) throws {
        if outcome == .parentNeeded {
            try remember(transaction)
            try transaction.needParent(
                of: account, until: transaction.at + Self.parentLife,
                ofAge: AgeRule.ofAge(settings, birthDate: acceptance.birthDateText, transaction.at))
        }
        guard settings.gate == .required else { return }
        try transaction.setAgeVerified(outcome == .ok, of: account)
        try keepBirthDate(of: account, transaction)
    }

    /// Asks the owner of an account that was taken over for the age, which only the former holder
    /// has given: at a sign-in by a provider or a code, whose acceptance has a birth date. It
    /// counts once, and needs what a sign-up by the same person would need, so a child who has
    /// taken over their own account gains nothing by it. A sign-in without a birth date succeeds,
    /// and a parent is still needed.
    /// - Returns: whether the account was changed.
    /// - Throws: as `outcome`.
    func admitOwner(of account: AccountID, _ transaction: Transaction) throws -> Bool {
        guard settings.gate == .required, !acceptance.birthDateText.isEmpty,
            try transaction.parentalConsent(of: account)?.state == .inherited
        else { return false }
        let outcome = try outcome(in: transaction, at: transaction.at)
        switch outcome {
        case .ok: try transaction.removeNeed(of: account)
        case .parentNeeded, .underage:
            try remember(transaction)
            try transaction.confirmNeed(
                of: account,
                ofAge: AgeRule.ofAge(settings, birthDate: acceptance.birthDateText, transaction.at))
        }
        try transaction.setAgeVerified(outcome == .ok, of: account)
        try keepBirthDate(of: account, transaction)
        return true
    }

    private func keepBirthDate(of account: AccountID, _ transaction: Transaction) throws {
        guard settings.birthDate == .keep, let row = try transaction.account(account) else {
            return
        }
        let vault = try reader.vault(row)
        try transaction.setBirthDate(
            try vault.seal(acceptance.birthDateText, .birthDate), of: account)
    }

    private func remember(_ transaction: Transaction) throws {
        guard let deviceKey else { return }
        try transaction.rememberUnderage(deviceKey, until: transaction.at + Self.deviceLife)
    }
}

extension SignInDevice {
    /// The keyed hash of the device outside of any account; nil without a device id.
    fileprivate func underageKey(_ keys: IdentityKeys) -> [UInt8]? {
        guard !id.isEmpty else { return nil }
        return keys.devices.lookUpKey(
            DelimitedParts.joined([Array("underage".utf8), Array(id.utf8)]))
    }
}

/// The devices that gave a birth date below the least age, the birth dates that are kept, and the
/// verdict about those that are not.
extension IdentityTables {
    /// The table `underage_devices`, and the column `birth_date`.
    package static let ages = """
        CREATE TABLE underage_devices (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            device_key BLOB NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX underage_devices_by_key ON underage_devices (device_key);
        CREATE INDEX underage_devices_by_expiry ON underage_devices (expires_at_ms);
        ALTER TABLE profiles ADD COLUMN birth_date BLOB;
        """

    /// The column `age_verified_at_ms`: when the gate has found the owner old enough. Null for an
    /// account from before it, also where its birth date is kept: the least age of its sign-up is not
    /// known.
    package static let ageVerdict = """
        ALTER TABLE profiles ADD COLUMN age_verified_at_ms INTEGER;
        """
}

extension SQLSession {
    /// Whether a device is remembered.
    fileprivate func isUnderage(_ deviceKey: [UInt8], at moment: Timestamp) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM underage_devices WHERE device_key = ? AND expires_at_ms > ?",
            [.blob(deviceKey), SQLValue(moment)]
        ) { try $0.integer(0) } != nil
    }

    /// The sealed birth date of an account; nil if none is kept.
    /// - Throws: `SQLError`.
    package func sealedBirthDate(of account: AccountID) throws -> [UInt8]? {
        try queryOne(
            "SELECT birth_date FROM profiles WHERE account = ?", [.integer(account.key)]
        ) { try $0.optionalBlob(0) } ?? nil
    }
}

extension Transaction {
    /// The first refusal counts: who tries again every day is not refused for ever.
    fileprivate func rememberUnderage(_ deviceKey: [UInt8], until end: Timestamp) throws {
        try put(
            """
            INSERT INTO underage_devices (device_key, expires_at_ms) VALUES (?1, ?2)
            ON CONFLICT (device_key) DO UPDATE SET expires_at_ms =
                CASE WHEN underage_devices.expires_at_ms > ?3
                    THEN underage_devices.expires_at_ms ELSE excluded.expires_at_ms END
            """,
            [.blob(deviceKey), SQLValue(end), SQLValue(at)])
    }

    /// At a takeover: the birth date was the former holder's, and so was the verdict about it.
    func forgetAge(of account: AccountID) throws {
        try put(
            "UPDATE profiles SET birth_date = NULL, age_verified_at_ms = NULL WHERE account = ?",
            [.integer(account.key)])
    }

    /// Records the verdict of the gate (I-11).
    fileprivate func setAgeVerified(_ isVerified: Bool, of account: AccountID) throws {
        try put(
            "UPDATE profiles SET age_verified_at_ms = ? WHERE account = ?",
            [isVerified ? SQLValue(at) : .null, .integer(account.key)])
    }

    fileprivate func setBirthDate(_ sealed: [UInt8], of account: AccountID) throws {
        try put(
            "UPDATE profiles SET birth_date = ? WHERE account = ?",
            [.blob(sealed), .integer(account.key)])
    }
}
