import ServiceRuntime

/// The state of a migration. Raw values are stored and must never change; those from 1 on are also
/// those of the message.
package enum MigrationState: Int64, CaseIterable, Sendable {
    /// The documents of its bundle still arrive. Callers do not see it yet.
    case receiving = 0
    case waiting = 1
    case running = 2
    case succeeded = 3
    case needsAttention = 4

    /// Whether the job has something to do.
    var isActive: Bool { self == .waiting || self == .running }
}

/// The events that change the state of a migration. Nothing else changes it.
enum MigrationEvent: Hashable, Sendable {
    /// The last document of the bundle was stored.
    case received
    /// The job has counted the documents.
    case begun
    /// The job has tried every document; so many could not be moved.
    case tried(issues: Int)
    /// The owner wants the issues to be tried again.
    case retried
    /// The owner wants the documents to be deleted that could not be moved.
    case dropped
    /// There is no guest any more: it was deleted, or it became an account and keeps the rest.
    case released
}

/// Decides how a migration goes on, and which side of a document is kept (G-16). Pure:
///
///     state             received   begun     tried, none left  tried, issues    retried  dropped
///     receiving         waiting    –         –                 –                –        –
///     waiting           –          running   –                 –                –        –
///     running           –          –         succeeded         needs attention  –        –
///     needs attention   –          –         –                 –                waiting  succeeded
///     succeeded         –          –         –                 –                –        –
///
///     state                                released
///     receiving, succeeded                 –
///     waiting, running, needs attention    succeeded
///
///     picked side   the account's document         kept
///     guest         any                            the guest's
///     account       any                            the account's, or none
///     none          does not exist                 the guest's
///     none          older than the guest's         the guest's
///     none          as old as it, or newer         the account's
///
/// "–": no change. A document that the account has removed does not exist.
enum MigrationRule {
    /// The state after `event`; unchanged if the event has no effect.
    static func state(
        _ state: MigrationState, after event: MigrationEvent
    ) -> MigrationState {
        switch (state, event) {
        case (.receiving, .received): .waiting
        case (.waiting, .begun): .running
        case (.running, .tried(let issues)): issues == 0 ? .succeeded : .needsAttention
        case (.needsAttention, .retried): .waiting
        case (.needsAttention, .dropped): .succeeded
        case (.waiting, .released), (.running, .released), (.needsAttention, .released): .succeeded
        case (_, .received), (_, .begun), (_, .tried), (_, .retried), (_, .dropped), (_, .released):
            state
        }
    }

    /// The side whose document is kept.
    /// - Parameters:
    ///   - guest: When the guest's document was changed.
    ///   - account: When the account's was; nil if it does not exist.
    static func kept(
        guest: Timestamp, account: Timestamp?, picked: DocumentSide?
    ) -> DocumentSide {
        if let picked { return picked }
        guard let account else { return .guest }
        return guest > account ? .guest : .account
    }
}

/// One of the two sides of a migration.
enum DocumentSide: Hashable, Sendable {
    case guest, account
}
