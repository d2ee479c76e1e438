import Addresses
import Contracts
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
    let completion: ProfileCompletion
    let grantEndpoints: GrantEndpoints
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
        completion = ProfileCompletion(answers: signIn.answers)
        grantEndpoints = signIn.grantEndpoints
        self.proved = proved
        self.call = call
        self.transaction = transaction
        lookUpKey = signIn.keys.lookUpKey(of: proved)
    }

    /// - Throws: `SQLError` of kind `.constraint(.unique)` when another writer got in between;
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled` and
    ///   `auth/idempotency-key-reused`, `auth/consent-required` as `FederatedSignIn.run`.
    mutating func run() throws -> FederatedSignInOutcome {
        if let again = try replay() { return again }
        if let nonce = proved.nonce, try !transaction.use(nonce) {
            return try refuse(.invalidNonce, of: nil)
        }
        let linking = try readCase()
        let decision = LinkingRule.decision(for: linking)
        if case .refuse(let code) = decision {
            return try refuse(code, of: linking.known?.account ?? linking.owner?.holder.account)
        }
        if call.isExistingOnly, decision.isSignUp { return try refuse(.invalidCode, of: nil) }
        try requireConsent(for: decision)
        let age = try self.age(for: decision)
        guard age != .underage else { return try refuseUnderage(decision) }
        switch try judge(decision) {
        case .challenged(let issued): return .challenged(issued)
        case .admitted(let admitted): return .signedIn(try write(decision, age, admitted))
        case nil: return .signedIn(try write(decision, age, nil))
        }
    }

    /// Does what a sign-in would have done that waited for its second proof. The case is read again.
    /// - Parameter admitted: by both proofs.
    /// - Returns: nil if the identity no longer leads to that account.
    mutating func complete(_ admitted: AdmittedSignIn) throws -> FederatedSignInOutcome? {
        let account = admitted.row.account
        let decision = LinkingRule.decision(for: try readCase())
        switch decision {
        case .signIn(account), .link(account):
            return .signedIn(try write(decision, .ok, admitted))
        case .refuse(let code): return try refuse(code, of: account)
        case .signIn, .link, .takeOver, .upgrade, .create: return nil
        }
    }

    /// Asks the gate about a sign-in to an account that exists (`SignInAdmission`); nil for one that
    /// is not judged. A challenge is remembered.
    private func judge(
        _ decision: LinkingRule.Decision
    ) throws -> SignInAdmission.Outcome? {
        let account: AccountID
        switch decision {
        case .signIn(let known), .link(let known): account = known
        case .takeOver, .upgrade, .create, .refuse: return nil
        }
        let row = try self.row(account)
        let outcome = try SignInAdmission(settings: settings, writer: writer).admit(
            row, first(in: row), call.challenged, on: call.device, from: call.origin,
            subject: keys.subject(of: proved), guest: call.caller, transaction
        ) { $0.identity = IdentityV1.WaitingIdentity(proved) }
        if case .challenged(let issued) = outcome {
            try transaction.remember(call.repeatable, .init(challenged: row, issued))
        }
        return outcome
    }

    /// The proof of this identity, as the gate judges it, before anything is linked.
    /// - Parameter added: Of a repeat, whose first call has added the identity to the account.
    private func first(in row: AccountRow, added: Bool = false) throws -> FirstProof {
        let own = row.address?.lookUpKey
        // Most providers have no such tokens, and nothing is read.
        let isOwn =
            try proved.hasBothProofs && !added
            && transaction.identity(lookUpKey: lookUpKey)?.account == row.account
        return FirstProof(
            proved, numberKey: call.numberKey,
            namesOwnAddress: own != nil
                && own == proved.email.map { keys.lookUpKey(of: $0.address) }, isOwn: isOwn)
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
    ///
    /// The gate judges the repeat again. One that waits for its second proof gets its challenge.
    func replay() throws -> FederatedSignInOutcome? {
        guard let bytes = try transaction.remembered(of: call.repeatable) else { return nil }
        let admission = SignInAdmission(settings: settings, writer: writer)
        if IdentityV1.StoredResponse.isOne(bytes) {
            return try challengeAgain(admission)
        }
        let record = try FederatedSignInRecord(bytes)
        guard try transaction.identity(lookUpKey: lookUpKey)?.account == record.account,
            let row = try transaction.account(record.account)
        else { throw ServiceError(.idempotencyKeyReused) }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        // The proof is the same as of the first call, or session would refuse its key.
        let first = try first(
            in: row, added: record.message.isNewUser || record.message.isLinked)
        return .signedIn(
            CommittedSignIn(
                admitted: try admission.admitAgain(
                    row, first, in: transaction, at: transaction.at), record: record,
                // The retry may arrive in the same millisecond in which the first call ended all
                // sessions.
                provedAt: transaction.at + ProofIssuer.afterEnd,
                guest: try SettledGuest(record.message.collision, in: transaction)))
    }

    private func challengeAgain(_ admission: SignInAdmission) throws -> FederatedSignInOutcome {
        guard let first = try transaction.storedResponse(of: call.repeatable),
            let row = try transaction.account(AccountID(stored: first.account))
        else { throw ServiceError(.idempotencyKeyReused) }
        return .challenged(
            try admission.challengeAgain(
                first, of: row, after: self.first(in: row), in: transaction))
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

    /// - Parameter admitted: as the gate has admitted it; nil for a decision that is not judged.
    private func write(
        _ decision: LinkingRule.Decision, _ age: AgeRule.Outcome, _ admitted: AdmittedSignIn?
    ) throws -> CommittedSignIn {
        var done = try apply(decision)
        if decision.isSignUp {
            try ageGate.admit(done.account, age, transaction)
        } else if try ageGate.admitOwner(of: done.account, transaction) {
            done.unchanged = nil
        }
        try Grants(writer: writer).exchange(
            proved, at: grantEndpoints, for: done.account, transaction)
        var record = FederatedSignInRecord(done.account, lastSignInAt: done.lastSignInAt)
        record.add(decision, removed: done.removed)
        let guest = try writer.guests.settle(
            call.caller, afterSignInTo: done.account, from: call.origin, transaction)
        if let guest { record.add(guest) }
        let recorder = SignInRecorder(settings: settings, writer: writer)
        record.add(
            try recorder.record(
                done.account, before: done.lastSignInAt, by: proved.method, on: call.device,
                from: call.origin, asSignUp: decision.isSignUp, transaction))
        try audit(.signInSucceeded, done.account)
        let row = try done.unchanged ?? readBack(done.account)
        try completion.record(row, on: call.device.shown, from: call.origin, transaction)
        let moment = transaction.at + (done.endsSessions ? ProofIssuer.afterEnd : .zero)
        record.add(authenticatedAt: moment)
        try transaction.remember(call.repeatable, record.bytes)
        return CommittedSignIn(
            admitted: try admitted?.afterwards(row) ?? unjudged(row, decision), record: record,
            provedAt: moment, guest: guest)
    }

    private func unjudged(
        _ row: AccountRow, _ decision: LinkingRule.Decision
    ) throws(ServiceError) -> AdmittedSignIn {
        let why: SignInAdmission.Unjudged
        switch decision {
        case .create, .upgrade: why = .signUp
        case .takeOver: why = .takeover
        case .signIn, .link, .refuse:
            throw ServiceError(.internalError, detail: "a sign-in was not judged")
        }
        return SignInAdmission.unjudged(row, why, by: proved.method.authentication)
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
