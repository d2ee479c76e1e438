import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

/// Collects an account's data from all services into one ZIP archive, with an index page (G-21).
/// The data is written as it arrives, so only a few items are in memory at a time.
struct ExportCollection: Sendable {
    /// For one service, as its contract says.
    private static let timeout: Duration = .seconds(60)

    /// The services with data of accounts, identity itself among them.
    let services: [any AccountDataAPI]
    let time: any Time

    /// Writes the archive of an account.
    /// - Returns: its length.
    /// - Throws: errors of the services; `ZIPError`; `rpc/unavailable` when the disk fails.
    func write(
        _ subject: AccountDataV1.DataSubject, in voice: Voice, to archive: inout ExportArchiveWriter
    ) async throws -> Int64 {
        let now = time.now()
        var zip = try ZIPWriter(at: now)
        var files: [String] = []
        for service in services {
            try await collect(subject, from: service, &zip, &files, &archive)
        }
        let page = ExportIndex(files: files, voice: voice, at: now)
        try await archive.write(try zip.begin(ExportIndex.name))
        try await archive.write(try zip.append(Array(page.document.utf8)))
        try await archive.write(try zip.end())
        try await archive.write(try zip.finish())
        return try await archive.end()
    }

    private func collect(
        _ subject: AccountDataV1.DataSubject, from service: any AccountDataAPI,
        _ zip: inout ZIPWriter, _ files: inout [String], _ archive: inout ExportArchiveWriter
    ) async throws {
        let items = service.collectAccountData(
            AccountDataV1.CollectAccountDataRequest(subject: subject),
            .byIdentity(deadline: time.uptime() + Self.timeout))
        var isOpen = false
        for try await item in items {
            switch item.part {
            case .file(let name):
                if isOpen { try await archive.write(try zip.end()) }
                try await archive.write(try zip.begin(name))
                isOpen = true
                files.append(name)
            case .data(let bytes):
                guard isOpen else {
                    throw ServiceError(.internalError, detail: "data that belongs to no file")
                }
                try await archive.write(try zip.append(bytes))
            case nil: continue
            }
        }
        if isOpen { try await archive.write(try zip.end()) }
    }
}
