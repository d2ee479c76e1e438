package import Messages
package import ServiceRuntime

/// Where events come from. The raw value is stored and never reused.
package enum EventOrigin: Int64, CaseIterable, Sendable {
    /// Accounts and how they are proved.
    case identity = 1
    /// Sessions, tokens, keys.
    case session = 2
    /// Limits that were reached.
    case rateLimit = 3
    /// Messages.
    case notification = 4
}

/// An event as a service's feed has it, checked: each text is of a form that needs no escaping
/// wherever it is written.
package struct ServiceEvent: Hashable, Sendable {
    /// Which service's.
    package let origin: EventOrigin
    /// Its place in that service's feed.
    package let position: Int64
    /// When it happened.
    package let at: Timestamp
    /// What happened, by its name in the catalogue of events.
    package let kind: String
    /// Whose account.
    package let account: AccountID?
    /// Which session.
    package let session: SessionID?
    /// The catalogue's code where something was refused.
    package let outcome: String?
    /// Which attempt, or how many.
    package let attempt: Int64?

    /// An event as it came; nil for one that no service of ours writes.
    package init?(_ event: EventsV1.Event, from origin: EventOrigin) {
        guard event.position > 0, event.atMs >= 0, !event.kind.isEmpty,
            Self.isName(event.kind), Self.isName(event.outcome)
        else { return nil }
        self.origin = origin
        position = event.position
        at = Timestamp(milliseconds: event.atMs)
        kind = event.kind
        account = AccountID(text: event.accountId)
        session = SessionID(text: event.sessionId)
        outcome = event.outcome.isEmpty ? nil : event.outcome
        attempt = event.attempt == 0 ? nil : event.attempt
    }

    /// What it is ordered with: events of one account leave in their order. Those that concern none
    /// have no order to keep, and many lanes, so that none waits for a million others.
    package var lane: Int64 {
        account?.key ?? -(origin.rawValue * Self.freeLanes + position % Self.freeLanes)
    }

    private static let freeLanes: Int64 = 16

    /// Names of kinds and of errors: `session.started`, `auth/invalid-credential`.
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }
}
