import Contracts
import Foundation
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Rounds in each of which every program is killed once, at a random moment of a completion or
    /// of an upload: three, or as many as `POSTERN_SOAK_ROUNDS` says. `POSTERN_SOAK_SEED` repeats
    /// the moments, but not the machine's own timing.
    struct ProfileKills {
        private static let rounds = SoakRounds.count(ordinarily: 3)
        private static let seed = SoakRounds.seed ?? 7
        /// Rounds of one cluster: those of a long run do not fit into the time of one test.
        private static let batchRounds = 5
        private static let batches = (rounds + batchRounds - 1) / batchRounds

        private static func kills(of batch: Int) -> [Kill] {
            let first = batch * batchRounds
            return Kill.all(in: first..<min(first + batchRounds, rounds), seed: seed)
        }

        @Test(
            "G-18: killed at any step of a completion, there are all documents and the flag, or none",
            arguments: 0..<batches)
        func completion(batch: Int) async throws {
            try await StoryFixture.with(settings: SharedProfileFixture.settings, byHTTP: true) {
                fixture in
                let ada = try await answered(Person(50_000), fixture)
                let begun = ContinuousClock.now
                let whole = Set(try await ada.complete().written.map(\.collection))
                let time = ContinuousClock.now - begun
                #expect(whole.count > 1)
                for kill in Self.kills(of: batch) {
                    let app = try await answered(kill.person, fixture)
                    let outcome = try await kill.outcome(time, fixture.cluster) {
                        try await app.complete()
                    }
                    let (found, isComplete) = try await (documents(app), retried(app.hasCompleted))
                    #expect(found.isEmpty || Set(found.keys) == whole, "\(kill.place): \(found)")
                    #expect(found.isEmpty == !isComplete, "\(kill.place)")
                    #expect(outcome == nil || isComplete, "\(kill.place): it was acknowledged")
                    _ = try await retried { try await app.complete() }
                    let after = try await documents(app)
                    #expect(Set(after.keys) == whole, "\(kill.place)")
                    #expect(after.values.allSatisfy { $0 == 1 }, "\(kill.place): written twice")
                }
            }
        }

        /// A new guest who has answered everything.
        private func answered(_ person: Person, _ fixture: StoryFixture) async throws -> SignedInApp
        {
            let guest = try await retried { try await fixture.guest(person) }
            let app = SignedInApp(fixture, person, guest.session)
            for (section, json) in OnboardingAnswers.sections {
                _ = try await retried { try await app.save(section, json) }
            }
            return app
        }

        /// The versions of an account's documents but the drafts, by their collections.
        private func documents(_ app: SignedInApp) async throws -> [String: Int64] {
            let list = try await retried {
                try await app.backend.documents.listDocuments(.init(), app.context()).documents
            }
            return Dictionary(
                list.filter { $0.collection != "onboarding" }.map { ($0.collection, $0.version) }
            ) { $0 + $1 }
        }

        @Test(
            "G-17: killed at any step of an upload, there is the former photo or the new one, whole",
            arguments: 0..<batches)
        func upload(batch: Int) async throws {
            try await StoryFixture.with(settings: SharedProfileFixture.settings, byHTTP: true) {
                fixture in
                let web = try WebClient(fixture.cluster)
                let ada = try await guest(Person(50_001), fixture)
                let begun = ContinuousClock.now
                _ = try await put(TestPhoto.jpeg(bytes: 2 << 20), ada, web)
                let time = ContinuousClock.now - begun
                var photos = 1
                for kill in Self.kills(of: batch) {
                    let app = try await guest(kill.person, fixture)
                    let seed = UInt64(2 * photos)
                    let former = TestPhoto.jpeg(bytes: 200_000, seed: seed)
                    let new = TestPhoto.jpeg(bytes: 2 << 20, seed: seed + 1)
                    let first = try await retried { try await put(former, app, web) }
                    let outcome = try await kill.outcome(time, fixture.cluster) {
                        try await put(new, app, web)
                    }
                    let profile = try await retried {
                        try await app.backend.profile.getProfile(.init(), app.context())
                    }
                    let photo = try #require(profile.photo, "\(kill.place)")
                    let isNew = photo.name != first.name
                    #expect(outcome.map { $0.name == photo.name } ?? true, "\(kill.place)")
                    #expect(profile.account?.photoUrl == photo.url, "\(kill.place)")
                    let served = try await retried {
                        let served = try await web.photo(photo.url, app.context())
                        guard served.status == 200 else {
                            throw ClusterError(message: "\(kill.place): \(served.status)")
                        }
                        return served.bytes
                    }
                    #expect(served == (isNew ? new : former), "\(kill.place)")
                    photos += 1
                }
                try await fixture.cluster.expectBlobs(photos)
            }
        }

        private func guest(_ person: Person, _ fixture: StoryFixture) async throws -> SignedInApp {
            let guest = try await retried { try await fixture.guest(person) }
            return SignedInApp(fixture, person, guest.session)
        }

        private func put(
            _ photo: [UInt8], _ app: SignedInApp, _ web: WebClient
        ) async throws -> WebClient.UploadedPhoto {
            let response = try await web.putPhoto(photo, app.context())
            guard response.status == 200 else { throw try response.failure() }
            return try response.read()
        }
    }
}

extension Cluster {
    /// After the next start of identity there are so many blobs of photos and exports, and no
    /// other, once all of them are a day old.
    func expectBlobs(_ count: Int) async throws {
        if let storeURL {
            try TestServer.durable.get().run(
                "UPDATE identity.blob SET begun_at_ms = begun_at_ms - 86400000", at: storeURL)
        } else {
            for name in blobs {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -86_400)],
                    ofItemAtPath: "\(data)/data/blobs/\(name)")
            }
        }
        let before = processes["postern-identity"]
        try crash("identity")
        var names: [String] = []
        let areSwept = try await eventually {
            let after = processes["postern-identity"]
            guard after != nil, after != before else { return false }
            names = blobs
            return names.count == count && names.allSatisfy { !$0.contains(".") }
        }
        #expect(areSwept, "\(count) blobs: \(names)")
    }
}
