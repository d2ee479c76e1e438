import ServiceRuntime
import Testing

extension SystemTests {
    /// the alarm with small numbers, since to raise it by the default ones takes too long. By
    /// default 500 failures raise it, and ten of each site count.
    @Suite("The alarm of leaked passwords")
    struct Stuffing {
        /// Ten addresses of three sites: three in each of two /24, four in one /48.
        private static let addresses: [String] =
            (1...3).flatMap { ["198.51.100.\($0)", "203.0.113.\($0)"] }
            + (1...4).map { "2001:db8:1:\($0)::1" }
        /// The fewest failures that the file of limits can set.
        private static let raisedBy = 65
        private static let tries = 80
        /// Two people who live in other sites than the addresses, and than each other.
        private static let people = [Person(1), Person(251)]

        private func with(
            limits: String, _ test: (Cluster, AppBackend) async throws -> Void
        ) async throws {
            try await Cluster.with(limits: limits) { cluster in
                let backend = try AppBackend(cluster)
                defer { backend.close() }
                for person in Self.people { #expect(await backend.signUp(person) == nil) }
                try await test(cluster, backend)
            }
        }

        /// Wrong passwords for invented emails from each address in turn, each from a device of its
        /// own.
        private func attack(_ backend: AppBackend) async throws -> [ErrorCode?] {
            var codes: [ErrorCode?] = []
            for number in 0..<Self.tries {
                let address = Self.addresses[number % Self.addresses.count]
                let code = try await backend.signIn(
                    Person(1_000 + number), "Wrong7Horse", device: "d\(number)", from: address)
                codes.append(code)
            }
            return codes
        }

        /// Both people get in at home, on a device that is new and on the one that signed up.
        private func expectOwnersIn(_ backend: AppBackend) async throws {
            for person in Self.people {
                #expect(try await backend.signIn(person, device: "new") == nil)
                #expect(try await backend.signIn(person, device: person.device) == nil)
            }
        }

        @Test(
            "B12: ten addresses that fail at invented emails raise no alarm and lock no owner out"
        )
        func tenAddresses() async throws {
            try await with(limits: "sign-in-failures-overall-count: \(Self.raisedBy)\n") {
                _, backend in
                let codes = try await attack(backend)
                #expect(codes.allSatisfy { $0 == .invalidCredential }, "none is slowed down")
                try await expectOwnersIn(backend)
            }
        }

        @Test(
            "M1: while the alarm is on, sites that attack are refused and owners elsewhere get in"
        )
        func sites() async throws {
            // So much of each site counts that three sites raise it.
            let limits = """
                sign-in-failures-overall-count: \(Self.raisedBy)
                sign-in-failures-by-site-count: 64

                """
            try await with(limits: limits) { cluster, backend in
                let codes = try await attack(backend)
                #expect(codes.prefix(Self.raisedBy).allSatisfy { $0 == .invalidCredential })
                let slowed = codes.dropFirst(Self.raisedBy)
                #expect(slowed.count { $0 == .invalidCredential } == 3, "one of each site")
                #expect(slowed.count { $0 == .tooManyRequests } == Self.tries - Self.raisedBy - 3)
                // Its last try of eight was refused by the alarm, and is charged all the same.
                let peek = try await cluster.limits(
                    "peek", "failed-sign-in-by-address", Self.addresses[1])
                #expect(peek.output.hasPrefix("free: 41 more"), "\(peek.output)\(peek.errors)")
                try await expectNeighbourIn(backend)
                try await expectOwnersIn(backend)
            }
        }

        /// At another address of a site that attacks, the device that signed up gets in, and a new
        /// one does not.
        private func expectNeighbourIn(_ backend: AppBackend) async throws {
            let person = Self.people[0]
            let there = "203.0.113.200"
            let new = try await backend.signIn(person, device: "there", from: there)
            #expect(new == .tooManyRequests)
            #expect(try await backend.signIn(person, device: person.device, from: there) == nil)
        }
    }
}
