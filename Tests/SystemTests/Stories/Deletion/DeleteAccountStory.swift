import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.ProfileStories {
    @Suite("D3 story 4: delete account")
    struct DeleteAccount {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        private func app(_ number: Int) async throws -> SignedInApp {
            let ada = Person(number)
            return SignedInApp(fixture, ada, try await fixture.signUp(ada).session)
        }

        @Test(
            "D3 story 4.1: a warning says that the deletion is permanent; cancelled, nothing happens"
        )
        func warning() async throws {
            let app = try await app(34_101)
            let preview = try await app.preview()
            let final = try #require(preview.consequences.last)
            #expect(final.kind == "final" && final.sentence.contains("cannot be undone"))
            #expect(preview.consequences.allSatisfy { !$0.sentence.isEmpty })
            // The person cancels the dialog: the app makes no further call.
            #expect(try await app.deletion() == .init(state: .none))
            #expect(try await app.state().authenticated)
        }

        @Test(
            "D3 story 4.2: after the right password the account is deleted, after a wrong one not")
        func proof() async throws {
            let app = try await app(34_102)
            let wrong = try await refusal {
                try await fixture.backend.sessions.reauthenticate(
                    .init(device: app.person.gatewayDevice, proof: .password("Wrong7Horse")),
                    app.context())
            }
            #expect(wrong.code == .invalidCredential && !wrong.userMessage.isEmpty)
            #expect(try await app.deletion().state == .none)
            let proved = try await fixture.backend.sessions.reauthenticate(
                .init(
                    device: app.person.gatewayDevice,
                    proof: .password(.init(text: Person.password))), app.context())
            var session = app.session
            session?.accessToken = proved.accessToken
            let again = SignedInApp(fixture, app.person, session)
            #expect(try await again.delete().state == .deleting)
            #expect(try await again.isToldGone())
        }

        @Test("D3 story 4.3: the user is signed out on every device")
        func signedOut() async throws {
            let here = try await app(34_103)
            let tablet = Person(34_903)
            let there = SignedInApp(
                fixture, tablet,
                try await fixture.backend.auth.signInWithPassword(
                    .init(
                        email: here.person.email, password: .init(text: Person.password),
                        device: tablet.gatewayDevice), fixture.backend.context(tablet)
                ).session)
            try await here.delete()
            for app in [here, there] {
                #expect(try await app.isToldGone())
                let refreshed = try await refusal {
                    try await fixture.backend.auth.refreshSession(
                        .init(
                            refreshToken: app.session?.refreshToken ?? "",
                            device: app.person.gatewayDevice),
                        fixture.backend.context(app.person))
                }
                #expect(refreshed.code == .sessionEnded)
                #expect(refreshed.userMessage.contains("no longer exists"), "\(refreshed)")
            }
        }

        @Test(
            "D3 story 4.4: a sign-in is refused as for any unknown address; an old token says why")
        func signIn() async throws {
            let app = try await app(34_104)
            try await app.delete()
            #expect(try await app.isToldGone())
            let refused = try await refusal { try await fixture.signIn(app.person) }
            let unknown = try await refusal { try await fixture.signIn(Person(34_904)) }
            #expect(refused.code == .invalidCredential && refused == unknown)
            let listed = try await refusal {
                try await fixture.backend.sessions.listSessions(.init(), app.context())
            }
            #expect(listed.code == .sessionEnded)
            #expect(listed.userMessage.contains("no longer exists"), "\(listed)")
        }

        @Test(
            "D3 story 4.5: the same address signs up again at once, as another account without data"
        )
        func data() async throws {
            let app = try await app(34_105)
            try await app.write("settings", #"{"theme":"dark"}"#)
            let former = try await app.state().account?.accountId
            try await app.delete()
            #expect(try await app.isToldGone())
            let again = try await fixture.signUp(app.person)
            #expect(again.account?.accountId != former && again.account?.accountId != nil)
            let new = SignedInApp(fixture, app.person, again.session)
            let list = try await fixture.backend.documents.listDocuments(.init(), new.context())
            #expect(list.documents.allSatisfy { $0.collection != "settings" }, "\(list)")
            #expect(try await new.state().authenticated)
            #expect(
                try await !app.state().authenticated, "the former session is not the new account's")
        }
    }
}
