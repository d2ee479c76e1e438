import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.SecondProofs {
    @Suite("F-03: what is no sign-in with a first proof, and must open nothing either")
    struct OtherDoors {
        private static let new = "Owners9Password"

        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("sessions and stored answers of before the first app end; its own session goes on")
        func before() async throws {
            let (ada, tablet) = (Person(51_101), Person(51_102))
            let (own, _) = try await fixture.verified(ada)
            let signIn = {
                try await fixture.backend.auth.signInWithPassword(
                    .init(
                        email: ada.email, password: .init(text: Person.password),
                        device: tablet.gatewayDevice),
                    fixture.backend.context(tablet, key: "sign-in of 51102 on its tablet"))
            }
            let other = try await signIn().session
            #expect(try await signIn().session?.sessionId == other?.sessionId)
            let phone = try await fixture.protect(own)
            let isOver = try await eventually {
                try await !fixture.state(other, of: tablet).authenticated
            }
            #expect(isOver)
            let ended = try await refusal { try await refresh(other, of: tablet) }
            #expect(ended.code == .sessionEnded)
            let repeated = try await refusal { try await signIn() }
            #expect(repeated.code == .idempotencyKeyReused)

            let refreshed = try await refresh(own.session, of: ada)
            let sessions = try await fixture.sessions(refreshed, of: ada)
            #expect(sessions.count == 1)
            #expect(sessions.first(where: \.current)?.acr == "aal2")
            let again = try await fixture.challenge { try await fixture.signIn(ada) }
            #expect(again.kinds == ["totp_code", "recovery_code"])
            let code = SecretBytes(text: phone.recoveryCodes[0])
            let done = try await fixture.complete(again, .recoveryCode(code), of: ada)
            #expect(done.recoveryCodesLeft == 9)
            _ = try await refresh(done.session, of: ada)
        }

        private func refresh(
            _ session: GatewayV1.Session?, of person: Person
        ) async throws -> GatewayV1.Session? {
            try await fixture.backend.auth.refreshSession(
                .init(
                    refreshToken: session?.refreshToken ?? "", device: person.gatewayDevice),
                fixture.backend.context(person)
            ).session
        }

        @Test("the link that confirms an address opens nothing; another password removes the app")
        func verifyEmail() async throws {
            for (number, password) in [(51_103, Person.password), (51_104, Self.new)] {
                let ada = Person(number)
                let own = SignedInApp(fixture, ada, try await fixture.signUp(ada).session)
                let phone = try await fixture.protect(own)
                let token = try await fixture.linkToken(to: ada.email, page: "verify-email")
                let verified = try await fixture.backend.auth.verifyEmail(
                    .init(
                        token: token, password: .init(text: password),
                        device: Person(number + 100).gatewayDevice),
                    fixture.backend.context(Person(number + 100)))
                #expect(verified.account?.emailVerified == true)
                guard password == Person.password else {
                    // The app may have been a stranger's.
                    let signedIn = try await fixture.signIn(ada, password)
                    let left = try await fixture.secondFactors(signedIn.session, of: ada)
                    #expect(left.isEmpty)
                    continue
                }
                #expect(try await fixture.sessions(own.session, of: ada).count == 1)
                let challenge = try await fixture.challenge { try await fixture.signIn(ada) }
                let done = try await fixture.complete(
                    challenge, .totpCode(try await phone.app.code()), of: ada)
                #expect(try await fixture.sessions(done.session, of: ada).count == 2)
            }
        }

        /// Attack: a gateway that somebody controls has identity prove a session's password, and
        /// opens another session with the proof, past the gate.
        @Test("a proof for re-authentication opens no session, whatever the gateway makes of it")
        func otherPurpose() async throws {
            let ada = Person(51_105)
            let (own, _) = try await fixture.verified(ada)
            let phone = try await fixture.protect(own)
            let identity = try fixture.cluster.client(of: "identity", as: "gateway")
            defer { identity.close() }
            let session = try fixture.cluster.client(of: "session", as: "gateway")
            defer { session.close() }
            let inside = { (client: RPCClient) in
                client.context(timeout: .seconds(10))
                    .bearing(phone.signedIn.session?.accessToken)
            }
            let byPassword = try await AccountsClient(identity).proveByPassword(
                .init(
                    reauthentication: .init(
                        device: ada.gatewayDevice, proof: .password(.init(text: Person.password)))),
                inside(identity)
            ).proof
            let byApp = try await SecondProofsClient(identity).proveBySecondFactor(
                .init(device: ada.gatewayDevice, proof: .totpCode(try await phone.app.code())),
                inside(identity)
            ).proof
            for proof in [byPassword, byApp] {
                var proof = try #require(proof)
                for purpose: IdentityV1.SignInProofPurpose in [
                    .reauthentication, .signIn, .unspecified,
                ] {
                    proof.purpose = purpose
                    let refused = try await refusal {
                        try await SessionsClient(session).createSession(
                            .init(proof: proof, device: ada.gatewayDevice),
                            session.context(timeout: .seconds(10)))
                    }
                    #expect(refused.code == .invalidSignInProof, "\(purpose)")
                }
            }
            let unjudged = try await refusal {
                try await AccountsClient(identity).verifyPassword(
                    .init(
                        signIn: .init(
                            email: ada.email, password: .init(text: Person.password),
                            device: ada.gatewayDevice)), identity.context(timeout: .seconds(10)))
            }
            #expect(unjudged.code == .secondProofRequired)
            #expect(try await fixture.sessions(phone.signedIn.session, of: ada).count == 1)
        }

        @Test("after a change of the address, a reset by the new one waits for the second proof")
        func changedAddress() async throws {
            let (ada, new) = (Person(51_106), Person(51_107))
            let (own, _) = try await fixture.verified(ada)
            let phone = try await fixture.protect(own)
            let (backend, inside) = (fixture.backend, phone.signedIn.context())
            _ = try await backend.emails.requestEmailChange(
                .init(newEmail: new.email, device: ada.gatewayDevice), inside)
            _ = try await backend.emails.confirmEmailChange(
                .init(
                    token: try await fixture.linkToken(to: new.email, page: "change-email"),
                    device: ada.gatewayDevice), inside)
            _ = try await backend.passwords.requestPasswordReset(
                .init(email: new.email), backend.context(new))
            let token = try await fixture.linkToken(to: new.email, page: "reset-password")
            let challenge = try await fixture.challenge {
                try await backend.passwords.resetPassword(
                    .init(
                        token: token, password: .init(text: Self.new), device: new.gatewayDevice),
                    backend.context(new))
            }
            #expect(try await fixture.sessions(phone.signedIn.session, of: ada).count == 1)
            let done = try await fixture.complete(
                challenge, .totpCode(try await phone.app.code()), of: new)
            #expect(done.account?.email == new.email)
        }

        /// Attack: somebody reads the mailbox of an account with a second factor.
        @Test("a deletion by a mailed link waits, and its owner cancels it after both proofs")
        func deletionLink() async throws {
            let owner = ImportedOwner(50)
            try await fixture.takeIn([owner])
            let (ada, deletion) = (owner.person, fixture.backend.deletion)
            _ = try await deletion.requestDeletionLink(
                .init(email: ada.email), fixture.backend.context(ada))
            let link = try await fixture.linkToken(to: ada.email, page: "delete-account")
            let preview = try await deletion.previewDeletion(
                .init(linkToken: .init(text: link)), fixture.backend.context(ada))
            let requested = try await deletion.requestDeletion(
                .init(
                    linkToken: .init(text: link), confirmationToken: preview.confirmationToken,
                    wait: false), fixture.backend.context(ada))
            #expect(requested.deletion?.state == .waiting)
            let challenge = try await fixture.challenge { try await fixture.signIn(ada) }
            let done = try await fixture.complete(
                challenge, .totpCode(try await owner.app.code()), of: ada)
            let app = SignedInApp(fixture, ada, done.session)
            #expect(try await deletion.cancelDeletion(.init(), app.context()).cancelled)
            #expect(try await app.deletion().state == .none)
        }
    }
}
