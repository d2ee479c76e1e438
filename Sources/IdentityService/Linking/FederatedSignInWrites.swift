import Addresses
import Contracts
import ServiceRuntime
import Storage

/// Writes the decision of `LinkingRule`.
extension FederatedSignInTransaction {
    /// The result of the writes.
    struct Done {
        let account: AccountID
        /// Time of the previous sign-in.
        let lastSignInAt: Timestamp?
        /// Sign-in methods that were removed.
        var removed: [SignInMethod] = []
        /// Whether all sessions of the account end.
        var endsSessions = false
        /// The row as it was read, if this sign-in changes nothing else in it; otherwise nil.
        var unchanged: AccountRow?
    }

    /// Writes `decision`.
    /// - Throws: the code of a `.refuse` decision; `rpc/internal` when a row is missing or
    ///   incomplete; `SQLError` of kind `.constraint(.unique)` when another writer got in between.
    func apply(_ decision: LinkingRule.Decision) throws -> Done {
        switch decision {
        case .signIn(let account): try signIn(to: account)
        case .link(let account): try link(to: account)
        case .takeOver(let account): try takeOver(account)
        case .upgrade(let guest, let ownsAddress): try upgrade(guest, ownsAddress: ownsAddress)
        case .create(let ownsAddress): try create(ownsAddress: ownsAddress)
        case .refuse(let code): throw ServiceError(code)
        }
    }

    private func signIn(to account: AccountID) throws -> Done {
        let row = try self.row(account)
        guard let identity = found.identity, !row.isGuest else {
            throw ServiceError(.internalError, detail: "an identity's account is incomplete")
        }
        try transaction.recordUse(identity.identity)
        let isRefreshed = try refresh(row, isNameEdited: row.isNameEdited)
        return Done(
            account: account, lastSignInAt: row.lastSignInAt, unchanged: isRefreshed ? nil : row)
    }

    /// Takes over the name and the picture that the provider has now, until the owner edits them
    /// here (G-17). Only a difference is written, as most sign-ins have none.
    /// - Returns: Whether something was written.
    @discardableResult
    private func refresh(_ row: AccountRow, isNameEdited: Bool) throws -> Bool {
        let profile = ShownProfile(proved)
        let name = isNameEdited ? nil : profile.displayName
        let photoURL = row.isPhotoEdited ? nil : profile.photoURL
        guard name != nil || photoURL != nil else { return false }
        let vault = try reader.vault(row)
        let hasName = try name == nil || name == vault.open(row.sealedDisplayName, .displayName)
        let hasPhoto =
            try photoURL == nil
            || photoURL == row.sealedPhotoURL.map { try vault.open($0, .photoURL) }
        guard !hasName || !hasPhoto else { return false }
        try transaction.refreshProfile(
            row.account, sealedDisplayName: try name.map { try vault.seal($0, .displayName) },
            sealedPhotoURL: try photoURL.map { try vault.seal($0, .photoURL) })
        return true
    }

    private func link(to account: AccountID) throws -> Done {
        let row = try self.row(account)
        try attach(to: row)
        try refresh(row, isNameEdited: row.isNameEdited)
        try audit(.identityLinked, account)
        try notifyOwner(
            .methodAdded, account, .method(proved.method), about: proved.method.name)
        return Done(account: account, lastSignInAt: row.lastSignInAt)
    }

    private func takeOver(_ account: AccountID) throws -> Done {
        let row = try self.row(account)
        let takeover = Takeover(writer: writer, transaction: transaction)
        let removed = try takeover.run(row, origin: call.origin)
        if let email = proved.email {
            try takeover.prove(email.address, of: row, origin: call.origin)
        }
        try attach(to: row)
        // Not the owner but the previous holder has chosen the name.
        try transaction.setNameUnedited(account)
        try refresh(row, isNameEdited: false)
        try audit(.identityLinked, account)
        try notifyOwner(.addressClaimed, account, .methods(removed))
        return Done(
            account: account, lastSignInAt: row.lastSignInAt, removed: removed,
            endsSessions: true)
    }

    private func upgrade(_ guest: AccountID, ownsAddress: Bool) throws -> Done {
        let row = try self.row(guest)
        try GuestUpgrade(writer: writer, transaction: transaction).run(row, origin: call.origin)
        let vault = try reader.vault(row)
        if ownsAddress, let address = try newAddress(vault) {
            try transaction.insert(address, of: guest)
        }
        let profile = ShownProfile(proved)
        try fill(profile, of: row, vault)
        try attach(to: row)
        try accept(for: guest)
        try audit(.identityLinked, guest)
        try welcome(guest)
        return Done(account: guest, lastSignInAt: row.lastSignInAt, endsSessions: true)
    }

    private func create(ownsAddress: Bool) throws -> Done {
        let account = AccountID.drawn(from: randomness)
        try transaction.lock(.account(account))
        let vault = try writer.newVault(of: account)
        let profile = ShownProfile(proved)
        try transaction.insert(
            NewAccount(
                account: account, sealedKey: vault.sealedKey,
                sealedDisplayName: try vault.seal(profile.displayName ?? "", .displayName),
                sealedPhotoURL: try profile.photoURL.map { try vault.seal($0, .photoURL) },
                language: call.language, address: ownsAddress ? try newAddress(vault) : nil))
        try transaction.insert(
            NewIdentity(proved, of: account, key: randomness.rowKey(), vault, keys))
        try accept(for: account)
        try audit(.accountRegistered, account)
        try welcome(account)
        return Done(account: account, lastSignInAt: nil)
    }

    // MARK: shared by the decisions

    /// The row of an account that the look-up has read.
    func row(_ account: AccountID) throws(ServiceError) -> AccountRow {
        guard let row = found[account] else {
            throw ServiceError(.internalError, detail: "the account of the decision was not read")
        }
        return row
    }

    private func accept(for account: AccountID) throws {
        try transaction.give(call.acceptance, settings.consent, to: account, from: call.origin)
    }

    private func attach(to row: AccountRow) throws {
        try transaction.insert(
            NewIdentity(
                proved, of: row.account, key: randomness.rowKey(), try reader.vault(row), keys))
    }

    /// Fills the empty fields of a guest's profile.
    private func fill(_ profile: ShownProfile, of row: AccountRow, _ vault: AccountVault) throws {
        let isNamed = try !vault.open(row.sealedDisplayName, .displayName).isEmpty
        let name = isNamed ? nil : profile.displayName
        try transaction.fillProfile(
            row.account, sealedDisplayName: try name.map { try vault.seal($0, .displayName) },
            sealedPhotoURL: try profile.photoURL.map { try vault.seal($0, .photoURL) })
    }

    /// The address that the issuer has verified; nil without one.
    private func newAddress(_ vault: AccountVault) throws -> NewAddress? {
        try proved.email.map { email in
            try NewAddress(email.address, isProved: true, vault, keys)
        }
    }

    /// Writes an audit event about the identity.
    func audit(_ kind: AuditKind, _ account: AccountID?, outcome: ErrorCode? = nil) throws {
        try audit(
            kind, proved, of: account, from: call.origin, outcome: outcome, transaction)
    }

    private func notifyOwner(
        _ template: MailTemplate, _ account: AccountID, _ value: MailValue,
        about method: String? = nil
    ) throws {
        try notices.write(
            template, to: account, call.device.shown, with: [value], about: method, transaction)
    }

    /// Sends the welcome notice to the new account's address. The address is verified, so the
    /// service never greets a person who did not sign up.
    private func welcome(_ account: AccountID) throws {
        guard let row = try transaction.account(account) else { return }
        try notices.welcome(
            row, at: .signUp, as: settings.welcomeMail, call.device.shown, transaction)
    }
}
