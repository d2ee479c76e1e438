import Addresses
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("The rule of provider notices")
struct ProviderNoticeRuleTests {
    /// A time in seconds after a fixed whole second.
    private static func moment(_ seconds: Double) -> Timestamp {
        Timestamp(milliseconds: 1_800_000_000_000 + Int64(seconds * 1_000))
    }

    private static func identity(
        usedAt: Double = 0, relayToldAt: Double? = nil, isLast: Bool = false
    ) -> ProviderNoticeRule.Identity {
        .init(
            usedAt: moment(usedAt), relayToldAt: relayToldAt.map(moment), isLastMethod: isLast)
    }

    private static let table:
        [(
            name: String, event: ProviderNotice.Event, at: Double,
            identity: ProviderNoticeRule.Identity?, decision: ProviderNoticeRule.Decision
        )] = {
            let relay = EmailAddress("x@privaterelay.appleid.com").map {
                ProviderNotice.Event.relay($0, isOff: true)
            }
            guard let relay else { return [] }
            return [
                ("revoked, unknown", .consentRevoked, 5, nil, .nothing),
                ("deleted, unknown", .accountDeleted, 5, nil, .nothing),
                ("relay, unknown", relay, 5, nil, .nothing),
                ("other", .other, 5, identity(), .nothing),
                ("revoked", .consentRevoked, 5, identity(), .unlink),
                ("deleted", .accountDeleted, 5, identity(), .unlink),
                ("revoked, last method", .consentRevoked, 5, identity(isLast: true), .keep),
                ("deleted, last method", .accountDeleted, 5, identity(isLast: true), .keep),
                (
                    "revoked, signed in a second later", .consentRevoked, 5, identity(usedAt: 6),
                    .nothing
                ),
                (
                    "deleted, signed in a second later", .accountDeleted, 5, identity(usedAt: 6),
                    .nothing
                ),
                (
                    "revoked, late, last", .consentRevoked, 5, identity(usedAt: 6, isLast: true),
                    .nothing
                ),
                (
                    "revoked in the second of a sign-in", .consentRevoked, 5, identity(usedAt: 5.9),
                    .unlink
                ),
                (
                    "revoked, the sign-in long ago", .consentRevoked, 5, identity(usedAt: -900),
                    .unlink
                ),
                ("relay", relay, 5, identity(), .notifyRelay),
                ("relay, signed in since", relay, 5, identity(usedAt: 9), .notifyRelay),
                ("relay, stored earlier", relay, 5, identity(relayToldAt: 4), .notifyRelay),
                (
                    "relay, stored at the same time", relay, 5, identity(relayToldAt: 5),
                    .notifyRelay
                ),
                ("sessions, unknown", .sessionsRevoked(isDisabled: false), 5, nil, .nothing),
                ("sessions", .sessionsRevoked(isDisabled: false), 5, identity(), .endSessions),
                (
                    "disabled, signed in since, last method", .sessionsRevoked(isDisabled: true), 5,
                    identity(usedAt: 6, isLast: true), .endSessions
                ),
                ("recorded, unknown", .recorded(.other), 5, nil, .nothing),
                ("recorded", .recorded(.accountEnabled), 5, identity(usedAt: 6), .record),
                ("relay, stored later", relay, 5, identity(relayToldAt: 5.001), .nothing),
            ]
        }()

    @Test("G-05: every row of the truth table holds", arguments: table.indices)
    func rows(row: Int) {
        let (name, event, at, identity, decision) = Self.table[row]
        let notice = ProviderNotice(id: "j", subject: "s", event: event, at: Self.moment(at))
        #expect(
            ProviderNoticeRule.decision(on: notice, about: identity) == decision, "\(name)")
    }

    @Test("the table has all its rows")
    func whole() { #expect(Self.table.count == 23) }
}
