import Contracts
import Foundation
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Rounds in each of which one program after the other is killed at a random moment of an
    /// export's preparation, and one at a random moment of its download: one, or as many as
    /// `POSTERN_SOAK_ROUNDS` says. `POSTERN_SOAK_SEED` repeats the moments, but not the machine's
    /// own timing.
    @Suite(.enabled(if: TestStore.runs("*Kills")))
    struct ExportKills {
        private static let rounds = SoakRounds.count(ordinarily: 1)
        private static let seed = SoakRounds.seed ?? 7
        /// Rounds of one cluster: those of a long run do not fit into the time of one test.
        private static let batchRounds = 10
        private static let batches = (rounds + batchRounds - 1) / batchRounds
        private static let preparing = ["identity", "session", "notification"]
        private static let fetching = ["identity", "session", "notification", "gateway", "web"]
        /// More than the buffers between identity and the client, so that a kill cuts a download.
        private static let photoBytes = 4 << 20

        @Test(
            "G-21: killed at any moment of an export, there is one archive, whole, and one mail",
            arguments: 0..<batches)
        func export(batch: Int) async throws {
            try await StoryFixture.with(byHTTP: true) { fixture in
                let exports = Exports(fixture)
                let first = batch * Self.batchRounds
                let rounds = first..<min(first + Self.batchRounds, Self.rounds)
                let usual = try await undisturbed(exports)
                for round in rounds {
                    let randomness = SeededRandomness(seed: Self.seed &+ UInt64(round))
                    for (index, victim) in Self.preparing.enumerated() {
                        let number = round * Self.preparing.count + index
                        let other = Self.fetching[number % Self.fetching.count]
                        try await kill(
                            victim, other, exports, usual, randomness, Person(55_001 + number))
                    }
                }
                let photos = 1 + rounds.count * Self.preparing.count
                try await fixture.cluster.expectBlobs(photos)
            }
        }

        /// How long a preparation and a download take without a kill.
        private func undisturbed(
            _ exports: Exports
        ) async throws -> (preparing: Duration, fetching: Duration) {
            let app = try await exports.owner(Person(55_000), photoBytes: Self.photoBytes)
            let begun = ContinuousClock.now
            try await exports.order(app)
            let export = try await exports.ready(app)
            let ready = ContinuousClock.now
            let archive = try await exports.fetch(export, app)
            let fetched = ContinuousClock.now
            try await exports.expectOne(export, archive, app, "undisturbed")
            return (ready - begun, fetched - ready)
        }

        private func kill(
            _ victim: String, _ other: String, _ exports: Exports,
            _ usual: (preparing: Duration, fetching: Duration),
            _ randomness: SeededRandomness, _ person: Person
        ) async throws {
            let app = try await exports.owner(person, photoBytes: Self.photoBytes)
            func part() -> Double { Double(randomness.next() % 120) / 100 }
            let place = "\(victim), \(other), \(person.email), seed \(Self.seed)"
            let preparing = Kill(victim: victim, person: person, part: part(), place: place)
            let outcome = try await preparing.outcome(usual.preparing, exports.fixture.cluster) {
                try await exports.order(app)
                return try await exports.ready(app)
            }
            if outcome == nil { try await retried { try await exports.order(app) } }
            let export = try await exports.ready(app)
            let fetching = Kill(victim: other, person: person, part: part(), place: place)
            let archive = try await fetching.outcome(usual.fetching, exports.fixture.cluster) {
                try await exports.fetch(export, app)
            }
            try await exports.expectOne(
                export, try #require(archive, "\(place): not fetched"), app, place)
        }
    }

    /// What an app does about exports.
    private struct Exports {
        let fixture: StoryFixture

        init(_ fixture: StoryFixture) { self.fixture = fixture }

        /// A new account with a verified address, a document and a photo.
        func owner(_ person: Person, photoBytes: Int) async throws -> SignedInApp {
            let signedUp = try await retried { try await fixture.signUp(person) }
            let app = SignedInApp(fixture, person, signedUp.session)
            let token = try await fixture.linkToken(to: person.email, page: "verify-email")
            _ = try await retried {
                try await fixture.backend.auth.verifyEmail(
                    .init(token: token, device: person.gatewayDevice), app.context())
            }
            _ = try await retried {
                try await app.write("settings", #"{"note":"canary of \#(person.email)"}"#)
            }
            let web = try WebClient(fixture.cluster)
            try await retried {
                let uploaded = try await web.putPhoto(
                    TestPhoto.jpeg(bytes: photoBytes), app.context())
                guard uploaded.status == 200 else { throw try uploaded.failure() }
            }
            return app
        }

        func order(_ app: SignedInApp) async throws {
            _ = try await app.backend.exports.requestDataExport(.init(), app.context())
        }

        /// Waits until the export can be fetched.
        func ready(_ app: SignedInApp) async throws -> GatewayV1.DataExport {
            var export = GatewayV1.DataExport()
            let isReady = try await eventually(within: .seconds(60)) {
                let answer = try await retried {
                    try await app.backend.exports.getDataExport(.init(), app.context())
                }
                export = answer.dataExport ?? export
                return export.state == .ready
            }
            guard isReady else { throw ClusterError(message: "never ready: \(export)") }
            return export
        }

        /// Downloads the archive, and goes on by Range where a connection was cut.
        /// - Returns: its file, which the folder has.
        func fetch(
            _ export: GatewayV1.DataExport, _ app: SignedInApp
        ) async throws -> (file: String, folder: TemporaryFolder) {
            let (web, folder) = (try WebClient(fixture.cluster), try TemporaryFolder())
            let file = folder.file("whole.zip")
            // The bytes of a response that is no part of the archive are not written.
            let options = [
                "--silent", "--show-error", "--fail", "--max-time", "20", "--continue-at", "-",
                "--output", file,
            ]
            var said = ""
            let isWhole = try await eventually(within: .seconds(30)) {
                let run = try await ProgramRun.run(
                    path: "/usr/bin/env",
                    ["curl"] + options + web.options(app.context())
                        + ["\(web.url)/v1/exports/\(export.exportId)"], limit: .seconds(30))
                said = run.errors
                return run.exitCode == 0
            }
            guard isWhole else { throw ClusterError(message: "not fetched: \(said)") }
            return (file, folder)
        }

        /// The archive is whole, there is no other, and one mail says so; nothing is left of it when
        /// it is cancelled.
        func expectOne(
            _ export: GatewayV1.DataExport, _ archive: (file: String, folder: TemporaryFolder),
            _ app: SignedInApp, _ place: String
        ) async throws {
            let (cluster, person) = (fixture.cluster, app.person)
            let bytes = try Data(contentsOf: URL(filePath: archive.file)).count
            #expect(Int64(bytes) == export.bytes, "\(place)")
            let files = try await unpacked(archive.file)
            for (name, text) in [
                ("account.json", person.email), ("documents.json", "canary of \(person.email)"),
            ] {
                #expect(files[name]?.range(of: Data(text.utf8)) != nil, "\(place): \(name)")
            }
            let again = try await ready(app)
            #expect(again.exportId == export.exportId, "\(place)")

            let cells = try await cluster.cells()
            let names = cells.texts("identity.exports.blob")
            #expect(names.count == 1, "\(place): \(names)")
            #expect(names.allSatisfy(cluster.blobs.contains), "\(place): \(names)")
            _ = try await fixture.linkToken(to: person.email, page: "your-data")
            let mails = fixture.messages(to: person.email, saying: "your-data?token=")
            #expect(mails.count == 1, "\(place): \(mails)")

            let cancelled = try await retried {
                try await app.backend.exports.cancelDataExport(.init(), app.context())
            }
            #expect(cancelled.cancelled, "\(place)")
            let rest = try await cluster.cells().texts("identity.exports.blob")
            #expect(rest == [], "\(place)")
            #expect(!names.contains(where: cluster.blobs.contains), "\(place)")
        }
    }
}

extension [StoredCell] {
    /// The texts of a column.
    fileprivate func texts(_ place: String) -> [String] {
        filter { $0.place == place }.compactMap { cell in
            if case .text(let text) = cell.value { text } else { nil }
        }
    }
}
