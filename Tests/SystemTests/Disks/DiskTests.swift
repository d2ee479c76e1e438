import Foundation
import Glibc
import Messages
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite(
        "A disk that cannot be written",
        .enabled(if: TestStore.runs("Disk*")))
    struct Disks {
        /// Some writes still fit into space that a store had allocated before.
        private static let attemptsMax = 400
        private static let refusalsWanted = 3

        @Test(
            "Crash: disk full: writes fail, reads are served, and all recovers without a restart",
            .enabled(if: FullDisk.isPossible, "a small file system needs root to be mounted"))
        func full() async throws {
            let folder = try TemporaryFolder()
            let data = folder.file("data")
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
            try FullDisk.mount(data)
            do {
                try await Cluster.with(folder) { try await expectPassing(FullDisk(), $0) }
            } catch {
                try FullDisk.unmount(data)
                throw error
            }
            try FullDisk.unmount(data)
        }

        @Test("Crash: file size limit: writes fail, reads are served, and all recovers")
        func limited() async throws {
            try await Cluster.with { try await expectPassing(FileSizeLimit(), $0) }
        }

        @Test(
            "Crash: read-only files: writes fail, reads are served, and all recovers",
            .enabled(if: ReadOnlyFiles.isPossible, "needs root, and a file system that can"))
        func readOnly() async throws {
            try await Cluster.with { try await expectPassing(ReadOnlyFiles(), $0) }
        }

        private func expectPassing(_ fault: any DiskFault, _ cluster: Cluster) async throws {
            let backend = try LoadBackend(cluster)
            let ada = try await Visitor.signUp(1..<2, backend)[0]
            let processes = cluster.processes
            try await fault.begin(cluster)
            let acknowledged: [Person]
            do {
                acknowledged = try await expectRefusals(ada, backend)
            } catch {
                try await fault.end(cluster)
                throw error
            }
            try await fault.end(cluster)
            try await expectRecovery([ada.person] + acknowledged, ada, backend)
            #expect(cluster.processes == processes, "no program was restarted")
            backend.close()
        }

        /// - Returns: the people whose sign-up succeeded all the same.
        private func expectRefusals(_ ada: Visitor, _ backend: LoadBackend) async throws -> [Person]
        {
            var acknowledged: [Person] = []
            var refused: [ErrorCode?] = []
            for number in 2...Self.attemptsMax where refused.count < Self.refusalsWanted {
                let person = Person(number)
                do {
                    _ = try await backend.signUp(person, key: "sign-up of \(number)")
                    acknowledged.append(person)
                } catch {
                    refused.append((error as? ServiceError)?.code)
                }
                let token = await ada.session.accessToken
                #expect(try await backend.isSignedIn(token, of: ada.person), "reads still work")
            }
            #expect(refused == [.unavailable, .unavailable, .unavailable])
            return acknowledged
        }

        private func expectRecovery(
            _ people: [Person], _ ada: Visitor, _ backend: LoadBackend
        ) async throws {
            let records = CallRecords()
            let isBack = try await eventually {
                await records.record("sign-up", timeout: .seconds(10)) {
                    try await backend.signUp(Person(1_000), key: "sign-up of 1000")
                } != nil
            }
            #expect(isBack, "\(records.all.last.map { "\($0)" } ?? "")")
            for person in people { _ = try await backend.signIn(person) }
            #expect(await ada.refresh(backend, records, timeout: .seconds(10)))
        }
    }
}
