import CallRecords
import EmailAddresses
import ServiceRuntime
import Storage

/// What each decision of `LinkingRule` writes.
struct FederatedSignInSteps {
    let parts: IdentityParts
    let proved: ProvedIdentity
    let call: FederatedSignInCall
    /// What the decision rests on.
    let found: FoundAccounts
    let transaction: Transaction

    /// What was written.
    struct Done {
        let account: AccountID
        /// The sign-in before this one.
        let lastSignInAt: Timestamp?
        /// Ways of signing in that went.
        var removed: [String] = []
        /// The account's sessions end with this.
        var endsSessions = false
        /// The account, where it is as it was found but for this sign-in; nil where it has changed.
        var unchanged: AccountRow?
    }

    /// Writes what `decision` says, which is no refusal.
    func run(_ decision: LinkingDecision) throws -> Done {
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
            throw ServiceError(.internalError, detail: "a known identity is not whole")
        }
        try transaction.noteUse(identity.identity)
        return Done(account: account, lastSignInAt: row.lastSignInAt, unchanged: row)
    }

    private func link(to account: AccountID) throws -> Done {
        let row = try self.row(account)
        try attach(to: row)
        try audit(.identityLinked, account)
        try tell(.methodAdded, account, naming: [proved.method])
        return Done(account: account, lastSignInAt: row.lastSignInAt)
    }

    private func takeOver(_ account: AccountID) throws -> Done {
        let row = try self.row(account)
        let takeover = Takeover(parts: parts, transaction: transaction)
        let removed = try takeover.run(row, origin: call.origin)
        if let email = proved.email { try takeover.prove(email.address, of: row) }
        try attach(to: row)
        try audit(.identityLinked, account)
        try tell(.addressClaimed, account, naming: removed)
        return Done(
            account: account, lastSignInAt: row.lastSignInAt, removed: removed,
            endsSessions: true)
    }

    private func upgrade(_ guest: AccountID, ownsAddress: Bool) throws -> Done {
        let row = try self.row(guest)
        try GuestUpgrade(parts: parts, transaction: transaction).run(row, origin: call.origin)
        let vault = try AccountReader(parts: parts).vault(row)
        if ownsAddress, let address = try newAddress(vault) {
            try transaction.insert(address, of: guest)
        }
        let profile = ShownProfile(proved)
        try fill(profile, of: row, vault)
        try attach(to: row)
        try audit(.identityLinked, guest)
        try welcome(guest, profile)
        return Done(account: guest, lastSignInAt: row.lastSignInAt, endsSessions: true)
    }

    private func create(ownsAddress: Bool) throws -> Done {
        let account = AccountID.drawn(from: parts.randomness)
        let vault = try AccountVault(
            new: account, under: parts.keys.accounts, randomness: parts.randomness)
        let profile = ShownProfile(proved)
        try transaction.insert(
            NewAccount(
                account: account, sealedKey: vault.sealedKey,
                sealedDisplayName: try vault.seal(profile.displayName ?? "", .displayName),
                sealedPhotoURL: try profile.photoURL.map { try vault.seal($0, .photoURL) },
                language: call.language, address: ownsAddress ? try newAddress(vault) : nil))
        try transaction.insert(
            NewIdentity(
                proved, of: account, key: parts.randomness.rowKey(), vault, parts))
        try audit(.accountRegistered, account)
        try welcome(account, profile)
        return Done(account: account, lastSignInAt: nil)
    }

    // MARK: parts of them

    private func row(_ account: AccountID) throws(ServiceError) -> AccountRow {
        guard let row = found[account] else {
            throw ServiceError(.internalError, detail: "a decided account is not there")
        }
        return row
    }

    private func attach(to row: AccountRow) throws {
        try transaction.insert(
            NewIdentity(
                proved, of: row.account, key: parts.randomness.rowKey(),
                try AccountReader(parts: parts).vault(row), parts)
        )
    }

    /// A guest's profile is given what it lacks.
    private func fill(_ profile: ShownProfile, of row: AccountRow, _ vault: AccountVault) throws {
        let isNamed = try !vault.open(row.sealedDisplayName, .displayName).isEmpty
        let name = isNamed ? nil : profile.displayName
        try transaction.fillProfile(
            row.account, sealedDisplayName: try name.map { try vault.seal($0, .displayName) },
            sealedPhotoURL: try profile.photoURL.map { try vault.seal($0, .photoURL) })
    }

    /// The address that the issuer has proved.
    private func newAddress(_ vault: AccountVault) throws -> NewAddress? {
        try proved.email.map { email in
            NewAddress(
                lookUpKey: parts.keys.lookUpKey(of: email.address),
                sealed: try vault.seal(email.address.entered, .address), isProved: true)
        }
    }

    private func audit(_ kind: AuditKind, _ account: AccountID) throws {
        try transaction.audit(
            AuditEvent(kind, account: account.key, subject: parts.keys.subject(of: proved))
                .from(call.origin))
    }

    private func tell(
        _ kind: NoticeKind, _ account: AccountID, naming methods: [String]
    ) throws {
        try NoticeMail(parts: parts).write(
            kind, to: account, call.device.shown, naming: methods, at: transaction.at.milliseconds,
            key: IdentityOutbox(parts: parts).newKey(), transaction)
    }

    /// To a new account's address, which is proved: nobody else is greeted in our name.
    private func welcome(_ account: AccountID, _ profile: ShownProfile) throws {
        try tell(.welcome, account, naming: [profile.displayName ?? ""])
    }
}
