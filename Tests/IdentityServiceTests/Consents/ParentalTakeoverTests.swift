import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite(
    "G-23, X-04: the consent of a parent, after another person has got the account",
    .timeLimit(.minutes(1)))
struct ParentalTakeoverTests {
    private static let week = AgeGate.parentLife
    private static let email = "kid@example.org"

    private let fixture: IdentityFixture

    init() throws {
        fixture = try IdentityFixture(consent: .age(.allowed, birthDate: .keep))
    }

    /// A child's account, whose address is not proved, and its parent's link.
    private func child() async throws -> (account: String, link: String) {
        let child = try await fixture.register(Self.email, accepting: .eleven).account.accountId
        let link = try await fixture.askParent(fixture.devices.open(child))
        return (child, link)
    }

    private func signIn(
        _ acceptance: GatewayV1.Acceptance?, on device: String
    ) async throws -> [GatewayV1.RequiredAction] {
        try await fixture.identities.signInWithProvider(
            .init(
                token: .token("g1", email: Self.email), device: IdentityFixture.device(device),
                acceptance: acceptance), fixture.context()
        ).requiredActions
    }

    private func end() async throws -> Int64? {
        try await fixture.store.read { session in
            try session.queryOne("SELECT expires_at_ms FROM parental_consents") {
                try $0.optionalInteger(0)
            } ?? nil
        }
    }

    @Test("a child who resets the own password gains seven days once, and needs a parent again")
    func resetByTheChild() async throws {
        let (_, link) = try await child()
        #expect(try await fixture.answerParent(link, .give) == .given)
        let reset = try await fixture.resetPassword(of: Self.email, on: "reset-device")
        #expect(reset.forgetDevices)
        #expect(reset.requiredActions == [.parentalConsent])
        let first = fixture.time.now() + Self.week
        #expect(try await end() == first.milliseconds)
        let void = try await refusal { try await fixture.answerParent(link, .refuse) }
        #expect(void.code == .invalidLink)
        fixture.time.advance(by: Self.week / 2)
        #expect(try await !fixture.resetPassword(of: Self.email, on: "reset-device").forgetDevices)
        #expect(try await end() == first.milliseconds, "the address is proved now")
        fixture.time.advance(by: Self.week)
        #expect(try await fixture.expireParents() == 1)
    }

    @Test("who takes an account over is not deleted by the stranger's parent, and asks an own one")
    func ownParent() async throws {
        let (child, link) = try await child()
        #expect(try await fixture.answerParent(link, .give) == .given)
        #expect(try await signIn(nil, on: "d2") == [.parentalConsent])
        let void = try await refusal { try await fixture.answerParent(link, .refuse) }
        #expect(void.code == .invalidLink)
        fixture.time.advance(by: Self.week - .seconds(60))
        #expect(try await fixture.expireParents() == 0)
        let own = try await fixture.askParent(fixture.devices.open(child), at: "dad@example.org")
        fixture.time.advance(by: Self.week - .seconds(60))
        #expect(try await fixture.expireParents() == 0, "the first request starts the days again")
        #expect(try await fixture.answerParent(own, .give) == .given)
    }

    @Test(
        "an owner who is old enough passes the age gate, at the takeover or at a later sign-in",
        arguments: ["provider", "later", "reset"])
    func grownUp(way: String) async throws {
        _ = try await child()
        switch way {
        case "later": #expect(try await signIn(nil, on: "d2") == [.parentalConsent])
        case "reset": _ = try await fixture.resetPassword(of: Self.email, on: "reset-device")
        default: break
        }
        let kept = "birth_date IS NOT NULL"
        #expect(try await fixture.count("profiles", where: kept) == (way == "provider" ? 1 : 0))
        #expect(try await signIn(.thirteen, on: "d2") == [])
        #expect(try await fixture.count("parental_consents") == 0)
        #expect(try await fixture.count("profiles", where: kept) == 1)
        let verified = "age_verified_at_ms IS NOT NULL"
        #expect(try await fixture.count("profiles", where: verified) == 1)
        fixture.time.advance(by: Self.week * 2)
        #expect(try await fixture.expireParents() == 0)
    }

    @Test("an owner who is too young needs a parent, whatever date the next sign-in has")
    func young() async throws {
        _ = try await child()
        #expect(try await signIn(.eleven, on: "d2") == [.parentalConsent])
        #expect(try await fixture.count("parental_consents", where: "state = 1") == 1)
        #expect(try await signIn(.born("1980-01-01"), on: "d3") == [.parentalConsent])
        fixture.time.advance(by: Self.week)
        #expect(try await fixture.expireParents() == 1)
    }

    @Test("the device that gave the first date does not pass with another one")
    func sameDevice() async throws {
        _ = try await child()
        let device = IdentityFixture.device.deviceId
        #expect(try await signIn(.born("1980-01-01"), on: device) == [.parentalConsent])
        #expect(try await fixture.count("parental_consents", where: "state = 1") == 1)
    }

    @Test("without a takeover no sign-in passes the gate again, and a wrong date is refused")
    func ownAccount() async throws {
        #expect(try await signIn(.eleven, on: "d1") == [.parentalConsent])
        #expect(try await signIn(.born("1980-01-01"), on: "d2") == [.parentalConsent])
        let other = try IdentityFixture(consent: .age(.allowed))
        _ = try await other.register(Self.email, accepting: .eleven)
        let wrong = try await refusal {
            try await other.identities.signInWithProvider(
                .init(
                    token: .token("g1", email: Self.email),
                    device: IdentityFixture.device("d2"), acceptance: .born("x")),
                other.context())
        }
        #expect(wrong.code == .invalidArgument)
        #expect(try await other.count("identities") == 0, "nothing was taken over")
    }

    @Test(
        "strict: the upgrade of a guest, or its next claim, ends the link of an earlier parent",
        arguments: ["upgrade", "claim"], [true, false])
    func guest(way: String, isGiven: Bool) async throws {
        let strict = try IdentityFixture(enumeration: .strict, consent: .age(.allowed))
        let (_, token) = try await strict.guest()
        let guest = try await strict.register(Self.email, accepting: .eleven, guest: token)
        // The sign-up has ended the guest's earlier sessions.
        strict.time.advance(by: .seconds(1))
        let session = strict.devices.open(guest.account.accountId)
        let link = try await strict.askParent(session, at: "stranger@example.org")
        if isGiven { #expect(try await strict.answerParent(link, .give) == .given) }
        let end = strict.time.now() + Self.week
        strict.time.advance(by: .seconds(3_600))
        let actions: [GatewayV1.RequiredAction]
        if way == "upgrade" {
            let upgraded = try await strict.identities.signInWithProvider(
                .init(
                    token: .token("g1"), device: IdentityFixture.device("d2"),
                    acceptance: .thirteen), strict.relayed(session))
            actions = upgraded.requiredActions
        } else {
            actions = try await strict.register(
                "ada@example.org", accepting: .thirteen, guest: session
            ).requiredActions
        }
        #expect(actions.first == .parentalConsent, "the need stays, whatever date is given")
        let void = try await refusal { try await strict.answerParent(link, .refuse) }
        #expect(void.code == .invalidLink)
        strict.time.advance(by: end - strict.time.now())
        #expect(try await strict.expireParents() == (isGiven ? 0 : 1), "the wait is no longer")
        strict.time.advance(by: .seconds(3_600))
        #expect(try await strict.expireParents() == 1)
    }
}
