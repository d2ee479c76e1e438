import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.SecondProofs {
    /// The list of ways once more (F-01): a passkey meets what each of them asks for, and needs
    /// nothing beside it.
    @Suite("F-01, F-03: sign-ins to accounts with passkeys")
    struct PasskeyDoors {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("each waits for a second proof, and is done with a passkey, in a guest's session too")
        func judged() async throws {
            let doors = SignInDoor.all.flatMap { door in [false, true].map { (door, $0) } }
            let passkeys = try doors.map { _ in try OwnersPasskey(fixture) }
            let owners = zip(doors, passkeys).enumerated().map { place, pair in
                ImportedOwner(60 + place, changesHands: pair.0.0.changesHands, passkey: pair.1)
            }
            try await fixture.takeIn(owners)
            for (((door, isInGuestSession), passkey), owner) in zip(zip(doors, passkeys), owners) {
                try await pass(door, owner, passkey, inGuestSession: isInGuestSession)
            }
        }

        private func pass(
            _ door: SignInDoor, _ owner: ImportedOwner, _ passkey: OwnersPasskey,
            inGuestSession: Bool
        ) async throws {
            let person = owner.person
            let place = "\(door.name)\(inGuestSession ? ", in a guest's session" : "")"
            let guest = inGuestSession ? try await fixture.guest(person).session : nil
            let first = try await door.first(fixture, owner, guest?.accessToken)
            let before = try await fixture.lookUp(person)

            let challenge = try await fixture.challenge(first)
            #expect(challenge.kinds == ["passkey", "totp_code"], "\(place)")
            try await expectRefusals(of: challenge, to: owner, passkey, guest, place)
            try await door.waiting(fixture, owner)
            #expect(try await fixture.lookUp(person) == before, "\(place): something has happened")

            let signature = try await fixture.signature(by: passkey, of: person, for: challenge)
            let answer = try await fixture.complete(
                challenge, .passkey(signature), of: person, accessToken: guest?.accessToken)
            #expect(answer.account?.email == person.email, "\(place)")
            let sessions = try await fixture.sessions(answer.session, of: person)
            #expect(sessions.count == door.others + 1, "\(place)")
            let own = sessions.first(where: \.current)
            #expect(own?.acr == "aal2" && own?.amr.contains("pop") == true, "\(place)")
            try await door.done(fixture, owner)
            if let guest { try await expectOver(guest, of: person) }
        }

        /// Attack: somebody with the first proof signs with another passkey, or brings a signature of
        /// the owner that was made for something else.
        private func expectRefusals(
            of challenge: ServiceError.SecondProof, to owner: ImportedOwner,
            _ passkey: OwnersPasskey, _ guest: GatewayV1.Session?, _ place: String
        ) async throws {
            let person = owner.person
            let strangers = try await fixture.signature(
                by: try OwnersPasskey(fixture), of: person, for: challenge)
            let signIns = try await fixture.signature(by: passkey, of: person)
            for (signature, code) in [
                (strangers, ErrorCode.unknownPasskey), (signIns, ErrorCode.invalidPasskey),
            ] {
                let refused = try await refusal {
                    try await fixture.complete(
                        challenge, .passkey(signature), of: person,
                        accessToken: guest?.accessToken)
                }
                #expect(refused.code == code, "\(place)")
            }
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

        @Test(
            "a passkey is both proofs, with an app and without one, in a guest's session too",
            arguments: [false, true], [false, true])
        func alone(hasApp: Bool, inGuestSession: Bool) async throws {
            let passkey = try OwnersPasskey(fixture)
            let owner = ImportedOwner(
                80 + (hasApp ? 2 : 0) + (inGuestSession ? 1 : 0), hasApp: hasApp, passkey: passkey)
            try await fixture.takeIn([owner])
            let person = owner.person
            let guest = inGuestSession ? try await fixture.guest(person).session : nil
            let signature = try await fixture.signature(by: passkey, of: person)
            let answer = try await fixture.signIn(
                person, by: signature, accessToken: guest?.accessToken)
            #expect(answer.account?.email == person.email)
            let sessions = try await fixture.sessions(answer.session, of: person)
            #expect(sessions.map(\.acr) == ["aal2"])
            if let guest { try await expectOver(guest, of: person) }
            // A signature is for one sign-in.
            let again = try await refusal { try await fixture.signIn(person, by: signature) }
            #expect(again.code == .invalidPasskey)
            // It switches no demand on for passwords.
            if hasApp {
                let challenge = try await fixture.challenge { try await fixture.signIn(person) }
                #expect(challenge.kinds == ["passkey", "totp_code"])
            } else {
                #expect(try await fixture.signIn(person).account?.email == person.email)
            }
        }

        /// Attack: a stranger's passkey on an address that is not theirs would stay a way in.
        @Test(
            "X-04: who proves an unverified address takes the account, and not its passkey",
            arguments: [true, false])
        func takenOver(byProvider: Bool) async throws {
            let passkey = try OwnersPasskey(fixture)
            let owner = ImportedOwner(byProvider ? 84 : 85, isVerified: false, passkey: passkey)
            try await fixture.takeIn([owner])
            let person = owner.person
            let session: GatewayV1.Session?
            if byProvider {
                let token = try await fixture.googleToken(
                    of: person.device, email: person.email, for: person)
                session = try await fixture.signIn(person, by: token).session
            } else {
                _ = try await fixture.backend.passwords.requestPasswordReset(
                    .init(email: person.email), fixture.backend.context(person))
                let token = try await fixture.linkToken(to: person.email, page: "reset-password")
                session = try await fixture.backend.passwords.resetPassword(
                    .init(
                        token: token, password: "Owners9Password", device: person.gatewayDevice),
                    fixture.backend.context(person)
                ).session
            }
            #expect(try await fixture.passkeys(session, of: person).isEmpty)
            let signature = try await fixture.signature(by: passkey, of: person)
            let refused = try await refusal { try await fixture.signIn(person, by: signature) }
            #expect(refused.code == .unknownPasskey)
        }
    }
}

extension SystemTests {
    @Suite("Passkeys where the operator requires a second factor")
    struct RequiredPasskeys {
        @Test("F-01: the first passkey is the factor: it brings codes, and passwords wait for it")
        func factor() async throws {
            let settings = ["POSTERN_SECOND_FACTOR": "required"]
            try await StoryFixture.with(settings: settings) { fixture in
                let ada = Person(52_001)
                let (own, _) = try await fixture.verified(ada)
                let passkey = try OwnersPasskey(fixture)
                let added = try await fixture.add(passkey, in: own)
                #expect(added.recoveryCodes.count == 10)
                let challenge = try await fixture.challenge { try await fixture.signIn(ada) }
                #expect(challenge.kinds == ["passkey", "recovery_code"])
                let done = try await fixture.complete(
                    challenge,
                    .passkey(try await fixture.signature(by: passkey, of: ada, for: challenge)),
                    of: ada)
                #expect(!done.requiredActions.contains(.setUpSecondFactor))
                let signature = try await fixture.signature(by: passkey, of: ada)
                let alone = try await fixture.signIn(ada, by: signature)
                #expect(!alone.requiredActions.contains(.setUpSecondFactor))
                let last = try await refusal {
                    try await fixture.backend.passkeys.removePasskey(
                        .init(
                            passkeyId: added.passkey?.passkeyId ?? "", device: ada.gatewayDevice),
                        SignedInApp(fixture, ada, alone.session).context())
                }
                #expect(last.code == .lastSecondFactor)
            }
        }
    }
}
