import ServiceRuntime

/// What can befall an account's status. Nothing else changes it (I-01).
enum AccountEvent: CaseIterable, Sendable {
    /// The operator stops it.
    case suspend
    /// The operator takes that back.
    case restore
    /// It has an address that must be proved before it is let in: a guest signs up with one, where
    /// the operator wants that (G-02).
    case awaitVerification
    /// Its address is proved.
    case verify
    /// It is to be deleted.
    case beginDeletion
    /// It is to stay after all.
    case cancelDeletion
}

/// What somebody may do with an account, as far as its status decides it.
enum AccountAct: CaseIterable, Sendable {
    /// Sign in, whichever way, and prove oneself once more.
    case signIn
    /// Add or remove a way of signing in.
    case link
    /// Go on with a session.
    case refresh
    /// Prove its address by a mailed link: confirm it, or set a new password.
    case proveAddress
    /// Have all its data handed out.
    case export
}

/// An account's standing: three facts, of which its status shows the weightiest. The others are kept
/// beneath it, so that no order of events leads around one: whoever has a suspended account deleted
/// and then cancels that has a suspended account, and a pending address is no less pending for a
/// suspension that was taken back.
struct AccountStanding: Hashable, Sendable {
    /// On its way out.
    var isDeleting = false
    /// Stopped by the operator.
    var isSuspended = false
    /// Its address has to be proved before it is let in.
    var awaitsVerification = false

    /// What is told of it.
    var status: AccountStatus {
        if isDeleting { return .deleting }
        if isSuspended { return .suspended }
        return awaitsVerification ? .pendingVerification : .active
    }
}

/// What becomes of a status, and what each allows (I-01). Pure:
///
///     status        suspend      restore      verify       begin deletion   cancel deletion
///     active        suspended    –            –            deleting         –
///     suspended     –            beneath it   (suspended)  deleting         –
///     pending       suspended    –            active       deleting         –
///     deleting      (deleting)   (deleting)   (deleting)   –                beneath it
///
/// – changes nothing; in brackets the status stays, and what is beneath it changes; "beneath it" is
/// the weightiest of what remains: suspended, pending, active. To await verification makes an active
/// account pending, and the others so beneath their status.
///
///     status        sign in   link   refresh   prove address   export
///     active        yes       yes    yes       yes             yes
///     pending       no        no     no        yes             no
///     suspended     no        no     no        no              no
///     deleting      no        no     no        no              no
///
/// That its address is proved is all that a pending account waits for.
enum AccountStatusRule {
    /// The standing after `event`; the same where it changes nothing.
    static func standing(
        _ standing: AccountStanding, after event: AccountEvent
    ) -> AccountStanding {
        var standing = standing
        switch event {
        case .suspend: standing.isSuspended = true
        case .restore: standing.isSuspended = false
        case .awaitVerification: standing.awaitsVerification = true
        case .verify: standing.awaitsVerification = false
        case .beginDeletion: standing.isDeleting = true
        case .cancelDeletion: standing.isDeleting = false
        }
        return standing
    }

    /// Whether an account of that status allows `act`.
    static func allows(_ act: AccountAct, _ status: AccountStatus) -> Bool {
        switch status {
        case .active: true
        case .pendingVerification: act == .proveAddress
        case .suspended, .deleting: false
        }
    }
}
