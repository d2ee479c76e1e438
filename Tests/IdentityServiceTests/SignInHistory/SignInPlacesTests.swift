import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService

@Suite("G-08: a sign-in from a new place", .timeLimit(.minutes(1)))
struct SignInPlacesTests {
    private static let berlin = "DE;525;134;Berlin"
    private static let leipzig = "DE;513;124;Leipzig"

    private func context(
        _ fixture: IdentityFixture, _ place: String?, from address: String, _ key: String? = nil
    ) -> CallContext {
        var context = fixture.context(key, from: address)
        context.metadata[Metadata.Key.place] = place
        return context
    }

    /// Registers with a proved address, from a place or from nowhere known.
    private func registered(
        _ fixture: IdentityFixture, at place: String?, from address: String = "192.0.2.7"
    ) async throws {
        _ = try await fixture.accounts.register(
            .init(
                signUp: .init(
                    email: "ada@example.org", password: "Correct7Horse",
                    device: IdentityFixture.device, displayName: "Ada")),
            context(fixture, place, from: address))
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = 1")
    }

    /// Signs in on the known device.
    private func signIn(
        _ fixture: IdentityFixture, at place: String?, from address: String = "192.0.2.7",
        key: String? = nil
    ) async throws -> IdentityV1.SignInHistory {
        fixture.time.advance(by: .seconds(60))
        let answer = try await fixture.accounts.verifyPassword(
            .init(
                signIn: .init(
                    email: "ada@example.org", password: "Correct7Horse",
                    device: IdentityFixture.device)),
            context(fixture, place, from: address, key))
        return try #require(answer.history)
    }

    private func mails(_ fixture: IdentityFixture) async throws -> [String] {
        try await fixture.relay()
        return fixture.templates.filter { $0 != "verify-email" }
    }

    @Test("it is reported with the place of the one before, and mailed to the owner")
    func new() async throws {
        let fixture = try IdentityFixture()
        try await registered(fixture, at: Self.berlin)
        let known = try await signIn(fixture, at: Self.berlin)
        #expect(known.previousPlace == "Berlin, DE" && !known.isNewPlace)
        #expect(try await mails(fixture).isEmpty)
        let new = try await signIn(fixture, at: Self.leipzig)
        #expect(new.previousPlace == "Berlin, DE" && new.isNewPlace && !new.isNewDevice)
        #expect(new.sealedPreviousPlace.isEmpty)
        #expect(try await mails(fixture) == ["new-device"])
        let place = fixture.notifications.mails.last?.variables.first { $0.name == "place" }
        #expect(place?.value == "Leipzig, DE")
        #expect(try await fixture.count("audit", where: "kind = 'sign-in.new-device'") == 0)
        let next = try await signIn(fixture, at: Self.leipzig)
        #expect(next.previousPlace == "Leipzig, DE" && !next.isNewPlace)
    }

    @Test("none is new while none is known, as for an account from before")
    func before() async throws {
        let fixture = try IdentityFixture()
        try await registered(fixture, at: Self.berlin)
        try await fixture.change("DELETE FROM sign_in_memory")
        let first = try await signIn(fixture, at: Self.leipzig)
        #expect(!first.isNewPlace && first.previousPlace.isEmpty)
        #expect(try await signIn(fixture, at: Self.berlin).isNewPlace)
    }

    @Test("without a place file networks count: an IPv4 /16 and an IPv6 /32")
    func networks() async throws {
        let fixture = try IdentityFixture()
        try await registered(fixture, at: nil, from: "192.0.2.7")
        for (address, isNew) in [
            ("192.0.200.9", false), ("192.1.2.7", true), ("2001:db8:1::1", true),
            ("2001:db8:ffff::2", false), ("2001:db9::1", true), ("::ffff:192.1.9.9", false),
        ] {
            let history = try await signIn(fixture, at: nil, from: address)
            #expect(history.isNewPlace == isNew, "\(address)")
            #expect(history.previousPlace.isEmpty)
        }
    }

    @Test("G-25: a repeat gets the same report, and its place is stored sealed")
    func again() async throws {
        let fixture = try IdentityFixture()
        try await registered(fixture, at: Self.berlin)
        let first = try await signIn(fixture, at: Self.leipzig, key: "k")
        #expect(try await signIn(fixture, at: Self.berlin, key: "k") == first)
        #expect(first.isNewPlace && first.previousPlace == "Berlin, DE")
        #expect(try await mails(fixture) == ["new-device"])
        let stored = try await fixture.store.read { session in
            try session.query("SELECT answer FROM idempotency") { try $0.blob(0) }
                + session.query("SELECT sealed FROM sign_in_memory") { try $0.blob(0) }
        }
        #expect(stored.count >= 2)
        for bytes in stored {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("Berlin") && !text.contains("Leipzig"))
        }
    }

    @Test("an unproved address gets no mail about a place, since it may be a stranger's")
    func unproved() async throws {
        let fixture = try IdentityFixture()
        try await registered(fixture, at: Self.berlin)
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = NULL")
        #expect(try await signIn(fixture, at: Self.leipzig).isNewPlace)
        #expect(try await mails(fixture).isEmpty)
    }

    @Test("a provider's sign-in remembers and reports too, and a repeat the same")
    func provider() async throws {
        let fixture = try IdentityFixture()
        func signIn(_ place: String, key: String) async throws -> IdentityV1.SignInHistory? {
            try await fixture.identities.signInWithProvider(
                .init(
                    token: .token("g1", email: "ada@example.org"), device: IdentityFixture.device),
                context(fixture, place, from: "192.0.2.7", key)
            ).history
        }
        #expect(try await signIn(Self.berlin, key: "1") == nil, "the sign-up")
        fixture.time.advance(by: .seconds(60))
        let new = try await signIn(Self.leipzig, key: "2")
        #expect(new?.isNewPlace == true && new?.previousPlace == "Berlin, DE")
        #expect(try await signIn(Self.berlin, key: "2") == new)
        #expect(try await mails(fixture).sorted() == ["new-device", "welcome"])
    }

    @Test("X-04: a takeover forgets the places of the one before")
    func takeover() async throws {
        let fixture = try IdentityFixture()
        try await registered(fixture, at: Self.berlin)
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = NULL")
        let answer = try await fixture.identities.signInWithProvider(
            .init(token: .token("g1", email: "ada@example.org"), device: IdentityFixture.device),
            context(fixture, Self.leipzig, from: "192.0.2.7"))
        #expect(answer.removedMethods == ["password"])
        #expect(answer.history?.isNewPlace == false && answer.history?.previousPlace == "")
        #expect(try await fixture.count("sign_in_memory") == 1)
    }

    @Test("a setting keeps no places: nothing is stored, and none is new")
    func unremembered() async throws {
        let fixture = try IdentityFixture(adjusting: { $0.remembersPlaces = false })
        try await registered(fixture, at: Self.berlin)
        let history = try await signIn(fixture, at: Self.leipzig)
        #expect(!history.isNewPlace && history.previousPlace.isEmpty)
        #expect(try await fixture.count("sign_in_memory") == 0)
    }

    @Test("the program of before deletes an account whose places it does not know")
    func older() async throws {
        let fixture = try IdentityFixture()
        try await registered(fixture, at: Self.berlin)
        #expect(try await fixture.count("sign_in_memory") == 1)
        _ = try await fixture.store.writeUnchecked { transaction in
            for table in [
                "links", "notices", "known_devices", "passwords", "email_addresses", "profiles",
                "account_keys", "accounts",
            ] {
                _ = try transaction.execute("DELETE FROM \(table)")
            }
        }
        #expect(try await fixture.count("sign_in_memory") == 0)
    }
}
