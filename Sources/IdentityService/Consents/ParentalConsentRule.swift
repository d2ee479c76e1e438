import Messages

/// Where the consent of a parent stands. Raw values are stored and must never change. An account
/// that needs none has no state.
enum ParentalConsentState: Int64, CaseIterable, Sendable {
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
}

/// What an event does to the consent of a parent (G-23). Pure.
///
///     state       asked             given      refused    time is over
///     needed      requested         no         no         ends
///     inherited   requested         no         no         ends
///     requested   requested         given      ends       ends
///     given       not allowed       no         ends       no
///     refused     not allowed       no         no         no
///
/// *no*: nothing changes. *ends*: the state is `refused`, and the deletion of the account begins.
/// So the first answer counts, except that a consent can be withdrawn.
enum ParentalConsentRule {
    enum Event: CaseIterable, Sendable {
        case asked
        case given
        /// Refused, or withdrawn.
        case refused
        case expired
    }

    enum Outcome: Hashable, Sendable {
        case unchanged
        case becomes(ParentalConsentState)
        case ends
        case notAllowed
    }

    /// What `event` does to an account in `state`.
    static func outcome(_ state: ParentalConsentState, _ event: Event) -> Outcome {
        switch (state, event) {
        case (.needed, .asked), (.inherited, .asked), (.requested, .asked): .becomes(.requested)
        case (.given, .asked), (.refused, .asked): .notAllowed
        case (.requested, .given): .becomes(.given)
        case (.requested, .refused), (.given, .refused): .ends
        case (.needed, .expired), (.inherited, .expired), (.requested, .expired): .ends
        case (.needed, .given), (.needed, .refused), (.inherited, .given), (.inherited, .refused),
            (.given, .given), (.given, .expired), (.refused, .given), (.refused, .refused),
            (.refused, .expired):
            .unchanged
        }
    }
}

extension ParentalConsentState? {
    /// Whether the account needs the consent of a parent and has not got it.
    var isLacking: Bool { self != nil && self != .given }

    /// The state in a message.
    var message: IdentityV1.ParentalConsentState {
        switch self {
        case nil: .notNeeded
        case .needed, .inherited: .needed
        case .requested: .requested
        case .given: .given
        case .refused: .refused
        }
    }
}
