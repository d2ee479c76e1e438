import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    /// Second factors by HTTP against the built programs, with one set-up for all.
    @Suite("F-03: every way to a session, and every change", SharedStoryFixture(byHTTP: true))
    enum SecondProofs {}
}

extension SystemTests.SecondProofs {
    /// Attack: the second factor is asked for after passwords, and forgotten for another way to
    /// sign in (Better Auth #9552, #10322).
    @Suite("F-03: sign-ins to accounts with an authenticator app")
    struct EveryDoor {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        /// The accounts are imported, with their apps.
        @Test("each waits for the second proof, in a guest's session too, and is done with it")
        func judged() async throws {
            let doors = SignInDoor.all.flatMap { door in [false, true].map { (door, $0) } }
            let owners = doors.enumerated().map { place, door in
                ImportedOwner(place, changesHands: door.0.changesHands)
            }
            try await fixture.takeIn(owners)
            for ((door, isInGuestSession), owner) in zip(doors, owners) {
                try await pass(door, owner, inGuestSession: isInGuestSession)
            }
        }

        private func pass(
            _ door: SignInDoor, _ owner: ImportedOwner, inGuestSession: Bool
        ) async throws {
            let person = owner.person
            let place = "\(door.name)\(inGuestSession ? ", in a guest's session" : "")"
            let guest = inGuestSession ? try await fixture.guest(person).session : nil
            let first = try await door.first(fixture, owner, guest?.accessToken)
            let before = try await fixture.lookUp(person)

            let challenge = try await fixture.challenge(first)
            #expect(challenge.kinds == ["totp_code"], "\(place)")
            let wrong = try await refusal {
                try await fixture.complete(
                    challenge, .totpCode(owner.app.oldCode), of: person,
                    accessToken: guest?.accessToken)
            }
            #expect(wrong.code == .invalidCode, "\(place)")
            try await door.waiting(fixture, owner)
            #expect(try await fixture.lookUp(person) == before, "\(place): something has happened")
            if let guest {
                #expect(try await fixture.state(guest, of: person).account?.isGuest == true)
            }

            let answer = try await fixture.complete(
                challenge, .totpCode(try await owner.app.code()), of: person,
                accessToken: guest?.accessToken)
            #expect(answer.account?.email == person.email, "\(place)")
            let sessions = try await fixture.sessions(answer.session, of: person)
            #expect(sessions.count == door.others + 1, "\(place)")
            #expect(sessions.first(where: \.current)?.acr == "aal2", "\(place)")
            try await door.done(fixture, owner)
            if let guest { try await expectOver(guest, of: person) }
        }

        /// A guest without data leaves nothing.
        private func expectOver(
            _ guest: GatewayV1.Session, of person: Person
        ) async throws {
            let isOver = try await eventually {
                try await !fixture.state(guest, of: person).authenticated
            }
            #expect(isOver)
        }

        /// Attack: a stranger's factor on an address that is not theirs would lock its owner out.
        @Test(
            "X-04: who proves an unverified address takes the account, and not its app",
            arguments: [true, false], [false, true])
        func takenOver(byProvider: Bool, inGuestSession: Bool) async throws {
            let owner = ImportedOwner(
                (byProvider ? 40 : 42) + (inGuestSession ? 1 : 0), isVerified: false)
            try await fixture.takeIn([owner])
            let person = owner.person
            let guest = inGuestSession ? try await fixture.guest(person).session : nil
            let session: GatewayV1.Session?
            if byProvider {
                let token = try await fixture.googleToken(
                    of: person.device, email: person.email, for: person)
                let answer = try await fixture.signIn(
                    person, by: token, accessToken: guest?.accessToken)
                #expect(answer.removedMethods.contains("password"))
                session = answer.session
            } else {
                _ = try await fixture.backend.passwords.requestPasswordReset(
                    .init(email: person.email), fixture.backend.context(person))
                let token = try await fixture.linkToken(to: person.email, page: "reset-password")
                session = try await fixture.backend.passwords.resetPassword(
                    .init(
                        token: token, password: "Owners9Password", device: person.gatewayDevice),
                    fixture.backend.context(person).bearing(guest?.accessToken)
                ).session
            }
            #expect(try await fixture.state(session, of: person).authenticated)
            #expect(try await fixture.secondFactors(session, of: person).isEmpty)
            let former = try await refusal { try await fixture.signIn(person) }
            #expect(former.code == .invalidCredential)
            if let guest { try await expectOver(guest, of: person) }
        }
    }
}
