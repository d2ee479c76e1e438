import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

/// A way to a session of an account that exists, as an app goes it by HTTP.
struct SignInDoor: Sendable {
    /// The call that gives the first proof.
    typealias First = @Sendable () async throws -> GatewayV1.Session?
    /// What a test looks at.
    typealias Look = @Sendable (StoryFixture, ImportedOwner) async throws -> Void

    let name: String
    /// Prepares the call, in a guest's session if a token is given.
    let first:
        @Sendable (StoryFixture, ImportedOwner, _ guest: String?) async throws ->
            First
    /// Sessions that the owner has already when the first proof is given.
    var others = 0
    /// The number changes hands.
    var changesHands = false
    /// While the sign-in waits: what it would do is not done.
    var waiting: Look = { _, _ in }
    /// After the second proof: it is.
    var done: Look = { _, _ in }

    static let all = [
        password, resetLink, phoneCode, changedNumber, providerThatLinks, knownProvider,
    ]

    private static let password = SignInDoor(
        name: "a password",
        first: { fixture, owner, guest in
            let (backend, person) = (fixture.backend, owner.person)
            return {
                try await backend.auth.signInWithPassword(
                    .init(
                        email: person.email, password: .init(text: Person.password),
                        device: person.gatewayDevice), backend.context(person).bearing(guest)
                ).session
            }
        })

    private static let newPassword = "Owners9Password"

    private static let resetLink = SignInDoor(
        name: "a reset link",
        first: { fixture, owner, guest in
            let (backend, person) = (fixture.backend, owner.person)
            _ = try await backend.passwords.requestPasswordReset(
                .init(email: person.email), backend.context(person))
            let token = try await fixture.linkToken(to: person.email, page: "reset-password")
            return {
                try await backend.passwords.resetPassword(
                    .init(
                        token: token, password: .init(text: newPassword),
                        device: person.gatewayDevice), backend.context(person).bearing(guest)
                ).session
            }
        },
        waiting: { fixture, owner in
            let new = try await refusal { try await fixture.signIn(owner.person, newPassword) }
            #expect(new.code == .invalidCredential, "the new password is set already")
        },
        done: { fixture, owner in
            let old = try await refusal { try await fixture.signIn(owner.person) }
            #expect(old.code == .invalidCredential, "the old password still counts")
            _ = try await fixture.challenge {
                try await fixture.signIn(owner.person, newPassword)
            }
        })

    private static let phoneCode = SignInDoor(name: "a code to the phone", first: byPhone)

    private static let changedNumber = SignInDoor(
        name: "a code to a number that has changed hands",
        first: { fixture, owner, guest in
            let call = try await byPhone(fixture, owner, guest)
            // The provider's report comes with the message.
            let isReported = try await eventually {
                try await fixture.trail("phone.number-changed", of: owner.person) > 0
            }
            #expect(isReported)
            return call
        },
        changesHands: true,
        waiting: { fixture, owner in
            let confirmed = try await fixture.trail("phone.number-confirmed", of: owner.person)
            #expect(confirmed == 0)
        },
        done: { fixture, owner in
            let confirmed = try await fixture.trail("phone.number-confirmed", of: owner.person)
            #expect(confirmed > 0)
        })

    private static let providerThatLinks = SignInDoor(
        name: "a provider that is linked by its address",
        first: { fixture, owner, guest in
            let person = owner.person
            let token = try await fixture.appleToken(
                of: person.device, email: person.email, for: person)
            return { try await fixture.signIn(person, by: token, accessToken: guest).session }
        },
        done: { fixture, owner in
            let found = try await fixture.lookUp(owner.person)
            #expect(found.contains("apple"))
        })

    private static let knownProvider = SignInDoor(
        name: "a provider that is linked already",
        first: { fixture, owner, guest in
            let person = owner.person
            let token = try await fixture.appleToken(
                of: person.device, email: person.email, for: person)
            let linking = try await fixture.challenge {
                try await fixture.signIn(person, by: token)
            }
            _ = try await fixture.complete(
                linking, .totpCode(try await owner.app.code()), of: person)
            let next = try await fixture.appleToken(of: person.device, for: person)
            return { try await fixture.signIn(person, by: next, accessToken: guest).session }
        },
        others: 1)

    @Sendable private static func byPhone(
        _ fixture: StoryFixture, _ owner: ImportedOwner, _ guest: String?
    ) async throws -> First {
        let (backend, person) = (fixture.backend, owner.person)
        let (request, code) = try await fixture.code(to: owner.number, person: person)
        return {
            try await backend.phone.signInWithPhoneCode(
                .init(
                    requestId: request, phoneNumber: owner.number, code: code,
                    device: person.gatewayDevice), backend.context(person).bearing(guest)
            ).session
        }
    }
}
