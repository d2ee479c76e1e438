import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    /// Strangers fill limits on an account, and must not lock its owner out.
    @Suite("Limits that strangers cannot turn against an owner")
    struct TurnedLimits {
        /// How the owner of an address gets an account that a squatter created with it.
        enum OwnersWay: CaseIterable, Sendable {
            case reset
            case provider
        }

        private static let owners = "Owners9Password"
        private static let wrong = "Wrong7Horse"

        /// Wrong passwords from strangers' devices, each from another client address.
        private func guess(_ count: Int, at person: Person, _ backend: StoryBackend) async throws {
            for number in 0..<count {
                let code = try await backend.signIn(
                    person, Self.wrong, device: "stranger-\(number)",
                    from: Person(300 + number).address)
                #expect(code == .invalidCredential)
            }
        }

        // MARK: Known devices

        @Test("B5: the device that signed up can sign in and reauthenticate during an attack")
        func signedUp() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                let signedUp = try await backend.auth.signUpWithPassword(
                    ada.signUp, backend.context(ada))
                try await guess(5, at: ada, backend)
                #expect(try await backend.signIn(ada, device: "new") == .tooManyRequests)
                let proved = try await backend.sessions.reauthenticate(
                    .init(
                        device: ada.gatewayDevice, proof: .password(.init(text: Person.password))),
                    backend.context(ada).bearing(signedUp.session?.accessToken))
                #expect(!proved.accessToken.isEmpty)
                #expect(try await backend.signIn(ada, device: ada.device) == nil)
            }
        }

        @Test(
            "B5: a squatter's device is no longer known after the owner took the account over",
            arguments: OwnersWay.allCases)
        func takenOver(way: OwnersWay) async throws {
            try await StoryFixture.with { fixture in
                // The squatter signs up with the owner's address, and never verifies it.
                let (squatter, owner) = (Person(1), Person(2))
                _ = try await fixture.signUp(squatter)
                try await takeOver(squatter, by: owner, way, fixture)
                let backend = fixture.backend
                try await guess(5, at: squatter, backend)
                let squatters = try await backend.signIn(
                    squatter, Self.wrong, device: squatter.device)
                #expect(squatters == .tooManyRequests)
                let owners = try await backend.signIn(
                    squatter, Self.wrong, device: owner.device, from: owner.address)
                #expect(owners == .invalidCredential, "checked, since the device is known")
            }
        }

        @Test(
            "X-04: a squatter's repeats open no session and compare no password after that",
            arguments: OwnersWay.allCases)
        func repeats(way: OwnersWay) async throws {
            try await StoryFixture.with { fixture in
                let (squatter, owner) = (Person(1), Person(2))
                let backend = fixture.backend
                func signUp(
                    _ password: String, _ key: String, _ device: GatewayV1.Device
                ) async throws {
                    _ = try await backend.auth.signUpWithPassword(
                        .init(
                            email: squatter.email, password: .init(text: password),
                            device: device), backend.context(squatter, key: key))
                }
                // With a key that is none the account is made, and its first session is not.
                var bound = squatter.gatewayDevice
                bound.key = .init(kind: .p256, publicKey: [1])
                let refused = try await refusal {
                    try await signUp(Person.password, "squatter-key-0001", bound)
                }
                #expect(refused.code == .invalidDeviceKey)
                try await takeOver(squatter, by: owner, way, fixture)
                for password in [Self.owners, Person.password, Self.wrong] {
                    let error = try await refusal {
                        try await signUp(password, "squatter-key-0001", squatter.gatewayDevice)
                    }
                    #expect(error.code == .idempotencyKeyReused)
                }
            }
        }

        private func takeOver(
            _ squatter: Person, by owner: Person, _ way: OwnersWay, _ fixture: StoryFixture
        ) async throws {
            switch way {
            case .reset:
                try await fixture.resetPassword(of: squatter, to: Self.owners, by: owner)
            case .provider:
                let token = try await fixture.googleToken(
                    of: "g-b5", email: squatter.email, for: owner)
                let admitted = try await fixture.signIn(owner, by: token)
                #expect(admitted.removedMethods == ["password"])
            }
        }

        // MARK: Attempts at the same time

        @Test("B6: of eight concurrent right passwords each succeeds, some after a wait of seconds")
        func parallel() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                #expect(await backend.signUp(ada) == nil)
                let refused = await withTaskGroup(of: (String, ServiceError?).self) { calls in
                    for number in 0..<8 {
                        calls.addTask {
                            let device = "new-\(number)"
                            return (device, await backend.signInError(ada, device: device))
                        }
                    }
                    return await calls.reduce(into: [String: ServiceError]()) { $0[$1.0] = $1.1 }
                }
                let waits = refused.values.map { $0.retryAfter ?? .seconds(3_600) }
                let longest = waits.max() ?? .zero
                #expect(refused.values.allSatisfy { $0.code == .tooManyRequests }, "\(refused)")
                try #require(longest <= .seconds(5), "\(waits)")
                // Waits as long as the callers were told to wait; this is no settling time.
                try await Task.sleep(for: longest)
                for device in refused.keys {
                    #expect(try await backend.signIn(ada, device: device) == nil)
                }
            }
        }

        // MARK: Failures in a row

        /// By default it is 100, which take at least five hours.
        private static let fourInARow = """
            failed-sign-in-in-a-row-attempts: 4
            failed-sign-in-in-a-row-failures-max: 4
            failed-sign-in-by-account-count: 20

            """

        @Test("B14: failures in a row lock new devices only; a reset or a known device ends it")
        func inARow() async throws {
            try await StoryFixture.with(limits: Self.fourInARow) { fixture in
                let (ada, backend) = (Person(1), fixture.backend)
                let signedUp = try await fixture.signUp(ada)
                let link = try await fixture.linkToken(to: ada.email, page: "verify-email")
                _ = try await backend.auth.verifyEmail(
                    .init(token: link),
                    backend.context(ada).bearing(signedUp.session?.accessToken))
                try await guess(4, at: ada, backend)
                await expectShut(ada, Person.password, backend)
                let google = try await fixture.signIn(
                    Person(2),
                    by: try await fixture.googleToken(of: "g-b14", email: ada.email, for: Person(2))
                )
                #expect(google.account?.accountId == signedUp.account?.accountId)
                await expectShut(ada, Person.password, backend)

                try await fixture.resetPassword(of: ada, to: Self.owners, by: Person(3))
                #expect(try await backend.signIn(ada, Self.owners, device: "new") == nil)

                try await guess(4, at: ada, backend)
                await expectShut(ada, Self.owners, backend)
                #expect(try await backend.signIn(ada, Self.owners, device: ada.device) == nil)
                #expect(try await backend.signIn(ada, Self.owners, device: "newer") == nil)
            }
        }

        /// From an unknown device not even the right password is checked.
        private func expectShut(
            _ person: Person, _ password: String, _ backend: StoryBackend
        ) async {
            let error = await backend.signInError(person, password, device: "unknown")
            #expect(error?.code == .tooManyRequests)
            #expect(error?.sentence == "Too many attempts. Please set a new password by email.")
        }
    }
}
