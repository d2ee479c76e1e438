import ServiceRuntime

/// Which account a proved identity signs in to (G-04 … G-07, G-15, X-04). Pure, and everybody's
/// trust rests on it.
///
/// An identity is its issuer and subject. Where it is known, its account is meant, whatever email
/// is told with it. Where it is unknown, an email may lead to an account, but only one that the
/// issuer has proved, and one whose owner here is proved too, or else loses what is there:
///
///     asking      identity    email told        its address here         decision
///     full        any         any               any                      auth/already-signed-in
///     guest, any state but active               any                      auth/user-disabled
///     nobody      known       any               any                      sign in
///     guest       known       any               any                      sign in, and a collision
///     both        known, of an account that is stopped                   auth/user-disabled
///     nobody      unknown     none, unverified  not looked at            create, no address
///     guest       unknown     none, unverified  not looked at            upgrade, no address
///     nobody      unknown     verified, relay   free                     create, address proved
///     guest       unknown     verified, relay   free                     upgrade, address proved
///     nobody      unknown     verified, relay   owned, proved            link
///     guest       unknown     verified, relay   owned, proved            link, and a collision
///     both        unknown     verified, relay   owned, proved, and has   auth/email-already-in-use
///                                               this provider already
///     both        unknown     verified, relay   owned, proved, and has   auth/email-already-in-use
///                                               taken this one away
///     nobody      unknown     verified, relay   owned, unproved          take over
///     guest       unknown     verified, relay   owned, unproved          take over, and a collision
///     both        unknown     verified, relay   owned by who is stopped  auth/user-disabled
///
///     state of an account             it
///     active                          is as above
///     pending verification, address unproved    is taken over as above, and active then
///     pending verification, else      auth/email-not-verified
///     suspended, deleting             is stopped
///
/// Why so:
/// - *Link only to a proved owner, else take over.* Sudhodanan & Paverd's classic-federated merge:
///   a stranger signs up with your address and a password, and waits until you sign in by your
///   provider. A link would give you an account that the stranger's password opens. So the account
///   keeps its id and documents, and loses all that could open it (`Takeover`): also sessions (their
///   unexpired session attack), other identities (trojan identifier) and changes that are under way
///   (unexpired email change).
/// - *Unverified is no email at all* (non-verifying provider): it leads to no account, and its
///   address is not taken either. Whoever runs a provider that verifies nothing could otherwise hold
///   any address here, so that its owner finds it taken. The new account has an identity and no
///   address; it can prove one later, by a mail to it.
/// - *A relay is a verified address*: its provider passes mail on to this person and nobody else.
///   A new account needs an address that mail reaches, and this is the one its owner has chosen.
/// - *One identity of a provider for an account.* The address of somebody who left can be given to
///   somebody new: then the provider tells another subject with the same email. Those are two
///   people, and the second one must not be let in by the first one's address.
/// - *What its owner has taken away stays away*: whoever has stolen an account at a provider would
///   else be let in again by the email that it proves. Only the owner's own link brings it back
///   (`RemovedIdentityTables`).
/// - *Whether an account is stopped* is told only here, where the proof is valid.
/// - *A guest is upgraded only to what nobody has.* Where the identity or its email leads to an
///   account, that one is signed in to, and what becomes of the guest is a choice (`Collision`).
enum LinkingRule {
    /// The decision for a case.
    static func decision(for linking: LinkingCase) -> LinkingDecision {
        switch linking.asking {
        case .full: return .refuse(.alreadySignedIn)
        case .guest(let guest) where !guest.status.isUsable: return .refuse(.accountDisabled)
        case .guest, .nobody: break
        }
        if let known = linking.known {
            return refusal(of: known.status).map { .refuse($0) } ?? .signIn(known.account)
        }
        guard linking.email.isProof else { return new(linking.asking, ownsAddress: false) }
        guard let owner = linking.owner else { return new(linking.asking, ownsAddress: true) }
        return decision(about: owner)
    }

    private static func decision(about owner: AddressOwner) -> LinkingDecision {
        let account = owner.holder.account
        if owner.holder.status == .pendingVerification, !owner.isProved {
            return .takeOver(account)
        }
        if let code = refusal(of: owner.holder.status) { return .refuse(code) }
        guard owner.isProved else { return .takeOver(account) }
        return owner.hasThisMethod || owner.wasRemoved
            ? .refuse(.emailAlreadyInUse) : .link(account)
    }

    private static func new(
        _ asking: LinkingCase.Asking, ownsAddress: Bool
    ) -> LinkingDecision {
        if case .guest(let guest) = asking {
            .upgrade(guest.account, ownsAddress: ownsAddress)
        } else {
            .create(ownsAddress: ownsAddress)
        }
    }

    /// Why nobody signs in to an account of this status; nil where they may.
    private static func refusal(of status: AccountStatus) -> ErrorCode? {
        switch status {
        case .active: nil
        case .pendingVerification: .emailNotVerified
        case .suspended, .deleting: .accountDisabled
        }
    }
}

/// What is known when an identity has been proved.
struct LinkingCase: Hashable, Sendable {
    /// Whose session asks.
    var asking: Asking
    /// The account that has this identity; nil where it is unknown.
    var known: AccountHolder?
    /// What its issuer says of an email.
    var email: EmailWord
    /// Who owns that address here; nil where it is free, or the email proves nothing.
    var owner: AddressOwner?

    /// Whose session asks for the sign-in.
    enum Asking: Hashable, Sendable {
        case nobody
        case guest(AccountHolder)
        /// An account that can be signed in to already.
        case full
    }
}

/// An account, and whether it may be signed in to.
struct AccountHolder: Hashable, Sendable {
    let account: AccountID
    let status: AccountStatus
}

/// The account that owns an address.
struct AddressOwner: Hashable, Sendable {
    let holder: AccountHolder
    /// Somebody has proved here that the address is theirs.
    let isProved: Bool
    /// It has another identity of the same provider.
    let hasThisMethod: Bool
    /// Its owner has taken this identity away.
    let wasRemoved: Bool
}

/// What an issuer says of an email.
enum EmailWord: Hashable, CaseIterable, Sendable {
    case none, unverified, verified, relay

    /// The word on what a token told.
    init(_ email: ProvidedEmail?) {
        guard let email else {
            self = .none
            return
        }
        self = email.isVerified ? (email.isRelay ? .relay : .verified) : .unverified
    }

    /// It says that the address is this person's.
    var isProof: Bool { self == .verified || self == .relay }
}

/// What becomes of a proved identity.
enum LinkingDecision: Hashable, Sendable {
    /// It is the account's already.
    case signIn(AccountID)
    /// It becomes the account's, by an address that both sides have proved.
    case link(AccountID)
    /// It becomes the account's, and all that could open the account goes.
    case takeOver(AccountID)
    /// The guest that asks becomes a full account by it.
    case upgrade(AccountID, ownsAddress: Bool)
    /// An account is made for it.
    case create(ownsAddress: Bool)
    case refuse(ErrorCode)
}
