import Messages

/// Where the consent of a parent stands. Raw values are stored and must never change. An account
/// that needs none has no state.
package enum ParentalConsentState: Int64, CaseIterable, Sendable {
    /// No parent has been asked.
    case needed = 1
    /// A parent has been asked.
    case requested = 2
    /// A parent has given it.
    case given = 3
    /// A parent has refused or withdrawn it, or none answered in time: the account is being
    /// deleted, or will be when its suspension ends.
    case refused = 4
    /// As `needed`, for an account that was taken over (`Takeover`): the birth date below the least
    /// age was the former holder's. Its owner passes the age gate once (`AgeGate.admitOwner`).
    case inherited = 5
    /// The parent has withdrawn it: the account is suspended, and its deletion waits. The owner can
    /// cancel the deletion, and needs another parent then.
    case withdrawn = 6
}

/// What an event does to the consent of a parent (G-23). Pure.
///
///     state       asked        given    refused     time is over   kept     of age
///     needed      requested    no       no          ends           no       free
///     inherited   requested    no       no          ends           no       free
///     requested   requested    given    ends        ends           no       free
///     given       requested *  no       withdrawn   no             no       free
///     withdrawn   not allowed  no       no          no             needed   no
///     refused     not allowed  no       no          no             no       no
///
/// *no*: nothing changes. *ends*: the state is `refused`, and the deletion of the account begins.
/// *free*: no consent is needed any more, and the link ends. *: only an owner with a proved address,
/// who names another parent.
///
/// So the first answer counts, except that a consent can be withdrawn. Attack: somebody gets a
/// parent's mailbox years later and withdraws. So a withdrawal deletes nothing at once: the owner
/// keeps the account by the mailbox of the account, and has seven days to name another parent, which
/// ends the old link. A child can so go on for seven days without a parent, without what needs the
/// consent, and is deleted then.
enum ParentalConsentRule {
    enum Event: CaseIterable, Sendable {
        case asked
        case given
        /// Refused, or withdrawn.
        case refused
        case expired
        /// The owner, or an operator, has cancelled the deletion.
        case kept
        /// The child has reached the least age.
        case ofAge
    }

    enum Outcome: Hashable, Sendable {
        case unchanged
        case becomes(ParentalConsentState)
        case ends
        case free
        case notAllowed
    }

    /// What `event` does to an account in `state`.
    static func outcome(_ state: ParentalConsentState, _ event: Event) -> Outcome {
        switch (state, event) {
        case (.needed, .asked), (.inherited, .asked), (.requested, .asked), (.given, .asked):
            .becomes(.requested)
        case (.withdrawn, .asked), (.refused, .asked): .notAllowed
        case (.requested, .given): .becomes(.given)
        case (.given, .refused): .becomes(.withdrawn)
        case (.withdrawn, .kept): .becomes(.needed)
        case (.requested, .refused): .ends
        case (.needed, .expired), (.inherited, .expired), (.requested, .expired): .ends
        case (.needed, .ofAge), (.inherited, .ofAge), (.requested, .ofAge), (.given, .ofAge): .free
        case (.needed, _), (.inherited, _), (.requested, _), (.given, _), (.withdrawn, _),
            (.refused, _):
            .unchanged
        }
    }
}

extension ParentalConsentState {
    /// Whether the account is about to be deleted, since its parent has refused or withdrawn.
    var isEnded: Bool { self == .refused || self == .withdrawn }
}

extension ParentalConsentState? {
    /// Whether the account needs the consent of a parent and has not got it.
    package var isLacking: Bool { self != nil && self != .given }

    /// The state in a message.
    var message: GatewayV1.ParentalConsentState {
        switch self {
        case nil: .notNeeded
        case .needed, .inherited: .needed
        case .requested: .requested
        case .given: .given
        case .refused, .withdrawn: .refused
        }
    }
}
