import Addresses
import Cryptography
import Messages
import ServiceRuntime
import Storage

extension FederatedSignInTransaction {
    /// The rows that a sign-in has read before it writes.
    struct Found {
        /// The identity; nil when it is unknown.
        var identity: IdentityRow?
        /// The identity's account, the owner of the address, and the guest that calls, as far as
        /// they exist.
        var accounts: [AccountRow] = []

        /// The row of one of these accounts; nil when it was not read.
        subscript(_ account: AccountID) -> AccountRow? {
            accounts.first { $0.account == account }
        }
    }
}

/// The transaction of a federated sign-in: looks up, decides with `LinkingRule`, writes
/// (`FederatedSignInWrites.swift`), and reads back what has changed.
struct FederatedSignInTransaction: AccountWriting {
    let settings: IdentitySettings
    let writer: AccountWriter
    let keepsGrants: Bool
    let proved: ProvedIdentity
    let call: FederatedSignInCall
    let transaction: Transaction
    /// The look-up key of the identity.
    let lookUpKey: [UInt8]
    private(set) var found = Found()

    init(
        _ signIn: FederatedSignIn, _ proved: ProvedIdentity, _ call: FederatedSignInCall,
        _ transaction: Transaction
    ) {
        settings = signIn.settings
        writer = signIn.writer
        keepsGrants = signIn.keepsGrants
        self.proved = proved
        self.call = call
        self.transaction = transaction
        lookUpKey = signIn.keys.lookUpKey(of: proved)
    }

    /// - Throws: `SQLError` of kind `.constraint(.unique)` when another writer got in between;
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled` and
    ///   `auth/idempotency-key-reused`, `auth/consent-required` as `FederatedSignIn.run`.
    mutating func run() throws -> FederatedSignInOutcome {
        if let again = try replay() { return .signedIn(again) }
        if let nonce = proved.nonce, try !transaction.use(nonce) {
            return try refuse(.invalidNonce, of: nil)
        }
        let linking = try readCase()
        let decision = LinkingRule.decision(for: linking)
        if case .refuse(let code) = decision {
            return try refuse(code, of: linking.known?.account ?? linking.owner?.holder.account)
        }
        try requireConsent(for: decision)
        let age = try self.age(for: decision)
        guard age != .underage else { return try refuseUnderage(decision) }
        return .signedIn(try write(decision, age))
    }

    /// Refuses a sign-up without the consent that the operator requires (G-23). The error undoes
    /// the transaction: the nonce, or the code, stays unused, so the app can show the texts and
    /// repeat the call with what the person has agreed to.
    private func requireConsent(for decision: LinkingRule.Decision) throws(ServiceError) {
        switch decision {
        case .create: try settings.consent.require(call.acceptance)
        case .upgrade(let guest, _):
            try settings.consent.require(call.acceptance, or: found[guest]?.consents)
        case .signIn, .link, .takeOver, .refuse: break
        }
    }

    /// What the age of the person who signs up means (G-23); `.ok` for a sign-in.
    private func age(for decision: LinkingRule.Decision) throws -> AgeRule.Outcome {
        decision.isSignUp ? try ageGate.outcome(in: transaction, at: transaction.at) : .ok
    }

    /// The refusal is committed, and the nonce or code is used up: a device that was refused once
    /// is refused for a day.
    private func refuseUnderage(_ decision: LinkingRule.Decision) throws -> FederatedSignInOutcome {
        var guest: AccountID?
        if case .upgrade(let account, _) = decision { guest = account }
        try ageGate.refuse(guest, transaction)
        return .refused(.underageUser)
    }

    private var ageGate: AgeGate {
        AgeGate(settings.consent.age, call.acceptance, call.device, from: call.origin, writer)
    }

    /// The stored response to an earlier identical call; nil when the call is new or carries no
    /// key.
    ///
    /// The caller must have proved the identity again, and the identity must still belong to the
    /// account. A captured idempotency key alone therefore gives no access, and an identity that
    /// was unlinked since then gives none either.
    /// - Throws: `auth/idempotency-key-reused` when the identity is no longer linked to that
    ///   account, `auth/user-disabled`.
    func replay() throws -> CommittedSignIn? {
        guard let bytes = try transaction.remembered(of: call.repeatable) else { return nil }
        let record = try FederatedSignInRecord(bytes)
        guard try transaction.identity(lookUpKey: lookUpKey)?.account == record.account,
            let row = try transaction.account(record.account)
        else { throw ServiceError(.idempotencyKeyReused) }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        return CommittedSignIn(
            row: row, record: record,
            // The retry may arrive in the same millisecond in which the first call ended all
            // sessions.
            provedAt: transaction.at + ProofIssuer.afterEnd,
            guest: try SettledGuest(record.message.collision, in: transaction))
    }

    // MARK: look up

    private mutating func readCase() throws -> LinkingRule.Case {
        let claim = LinkingRule.EmailClaim(proved.email)
        found.identity = try lockedIdentity()
        let guest = try callingGuest()
        var addressOwner: AccountID?
        if found.identity == nil, claim.isProof, let email = proved.email {
            addressOwner = try transaction.lockedOwner(
                ofAddress: keys.lookUpKey(of: email.address))
            // Another sign-in may have linked the identity while this one waited for the lock.
            if addressOwner != nil { found.identity = try lockedIdentity() }
        }
        if let identity = found.identity {
            return LinkingRule.Case(
                guest: guest, known: try holder(identity.account), email: claim)
        }
        return LinkingRule.Case(
            guest: guest, email: claim, owner: try addressOwner.map { try owner($0) })
    }

    private func lockedIdentity() throws -> IdentityRow? {
        try transaction.locked {
            try transaction.identity(lookUpKey: lookUpKey)
        } about: {
            .account($0.account)
        }
    }

    /// Reads an account and keeps its row for the steps.
    private mutating func account(_ account: AccountID) throws -> AccountRow? {
        guard let row = try transaction.account(account) else { return nil }
        found.accounts.append(row)
        return row
    }

    private mutating func callingGuest() throws -> AccountHolder? {
        guard let caller = call.caller else { return nil }
        let owner = try caller.owner.get()
        guard let row = try account(owner.account) else {
            throw ServiceError(.invalidAccessToken)
        }
        // An upgrade ends the guest's session. Otherwise, of two parallel sign-ins of one guest by
        // two identities, the second would create another account.
        try transaction.requireLive(owner)
        // The session of a full account is ignored.
        return row.isGuest ? row.holder : nil
    }

    private mutating func holder(_ account: AccountID) throws -> AccountHolder {
        // An identity whose account row is missing must fail here. Treated as unknown, it would get
        // a second account.
        guard let row = try self.account(account) else {
            throw ServiceError(.internalError, detail: "the account of an identity is missing")
        }
        return row.holder
    }

    private mutating func owner(_ account: AccountID) throws -> LinkingRule.AddressOwner {
        guard let row = try self.account(account) else {
            throw ServiceError(.internalError, detail: "the account of an address is missing")
        }
        return LinkingRule.AddressOwner(
            holder: row.holder, isProved: row.address?.provedAt != nil,
            hasThisMethod: row.methods.contains(proved.method),
            wasRemoved: try transaction.wasRemoved(lookUpKey, from: account))
    }

    // MARK: write

    private func refuse(_ code: ErrorCode, of account: AccountID?) throws -> FederatedSignInOutcome
    {
        try audit(.signInFailed, account, outcome: code)
        return .refused(code)
    }

    private func write(
        _ decision: LinkingRule.Decision, _ age: AgeRule.Outcome
    ) throws -> CommittedSignIn {
        var done = try apply(decision)
        if decision.isSignUp {
            try ageGate.admit(done.account, age, transaction)
        } else if try ageGate.admitOwner(of: done.account, transaction) {
            done.unchanged = nil
        }
        if keepsGrants {
            try Grants(writer: writer).exchange(proved, for: done.account, transaction)
        }
        var record = FederatedSignInRecord(done.account, lastSignInAt: done.lastSignInAt)
        record.add(decision, removed: done.removed)
        let guest = try writer.guests.settle(
            call.caller, afterSignInTo: done.account, from: call.origin, transaction)
        if let guest { record.add(guest) }
        let recorder = SignInRecorder(settings: settings, writer: writer)
        record.add(
            try recorder.record(
                done.account, before: done.lastSignInAt, by: proved.method, on: call.device,
                from: call.origin, transaction))
        try audit(.signInSucceeded, done.account)
        let moment = transaction.at + (done.endsSessions ? ProofIssuer.afterEnd : .zero)
        record.add(authenticatedAt: moment)
        try transaction.remember(call.repeatable, record.bytes)
        return CommittedSignIn(
            row: try done.unchanged ?? readBack(done.account), record: record, provedAt: moment,
            guest: guest)
    }

    /// The account as the transaction now reads it: complete, and with this identity (I-04), which
    /// has the name that its provider had when it was linked.
    private func readBack(_ account: AccountID) throws -> AccountRow {
        guard let identity = try transaction.identity(lookUpKey: lookUpKey),
            identity.account == account, let row = try transaction.account(account),
            row.status.isUsable, !row.isGuest, row.methods.contains(identity.method)
        else { throw ServiceError(.internalError, detail: "the account is incomplete") }
        return row
    }
}

extension LinkingRule.Decision {
    /// Whether an account with a sign-in method comes to be.
    fileprivate var isSignUp: Bool {
        switch self {
        case .create, .upgrade: true
        case .signIn, .link, .takeOver, .refuse: false
        }
    }
}
