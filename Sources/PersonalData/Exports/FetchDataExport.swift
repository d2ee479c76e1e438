import Contracts
import Cryptography
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountExportsHandler {
    /// Streams the archive to its owner, from an offset (G-21).
    ///
    /// It needs a session of the account and a proof of the last five minutes: a mailed link alone
    /// gives nothing, so neither does a mailbox that somebody else reads. A link that an app made in
    /// such a session stands for both (G-32). Each link serves once, from the call's first step on; in
    /// the app none is needed.
    func fetchDataExport(
        _ request: GatewayV1.FetchDataExportRequest,
        _ items: OutgoingItems<GatewayV1.FetchDataExportItem>,
        _ context: CallContext
    ) async throws {
        let caller = try await caller(
            DataExportsDescription.fetchDataExport, request, link: SecretBytes(request.linkToken),
            context)
        let fetcher: ExportFetcher =
            if let link = caller.link {
                .link(link)
            } else {
                .session(try await owners.require(.standard, in: context))
            }
        // Attack: one account holds all streams by downloads that it does not read.
        try await watchers.watching(fetcher.account) { _ in
            let (archive, row) = try await store.write(about: [.account(fetcher.account)]) {
                try begin(request, fetcher, caller.frame.origin, $0)
            }
            let vault = try reader.vault(row)
            var part = Int(request.offset) / SealedParts.partBytes
            var skipped = Int(request.offset) % SealedParts.partBytes
            while part < archive.parts {
                // A cancelled export has no file any more.
                guard let bytes = try await archive.part(part, in: blobs, vault) else {
                    throw Self.notFound
                }
                try await items.write(.init(data: Array(bytes.dropFirst(skipped))))
                (part, skipped) = (part + 1, 0)
            }
        }
    }

    private static var notFound: ServiceError { ServiceError(.notFound, fields: ["export_id"]) }

    private func begin(
        _ request: GatewayV1.FetchDataExportRequest, _ fetcher: ExportFetcher,
        _ origin: CallOrigin, _ transaction: Transaction
    ) throws -> (ExportArchive, AccountRow) {
        let row = try transaction.callersRow(fetcher.account)
        if case .session(let owner) = fetcher { try transaction.requireLive(owner) }
        guard let export = try transaction.export(of: row.account, at: transaction.at),
            export.id.text == request.exportId, case .ready(let archive) = export.state
        else { throw Self.notFound }
        guard (0..<archive.bytes).contains(request.offset) else {
            throw ServiceError(.invalidArgument, fields: ["offset"])
        }
        if case .link(let link) = fetcher {
            guard try transaction.hasLink(link.key, .sessionExport, of: row.account) else {
                throw ServiceError(.invalidLink)
            }
            try transaction.removeLinks(.sessionExport, of: row.account)
        } else if !request.linkToken.isEmpty {
            guard let token = LinkToken(text: request.linkToken),
                let link = try transaction.link(
                    .export, tokenHash: token.hash(.export, keys.links), at: transaction.at),
                link.account == row.account
            else { throw ServiceError(.invalidLink) }
            try transaction.removeLinks(.export, of: row.account)
        }
        // Attacks: a thief begins at the second byte, so each offset counts; an owner fetches in a
        // loop, so a session counts once.
        if try transaction.recordFetch(of: row.account, by: fetcher.session) {
            try transaction.audit(.exportFetched, row.account, from: origin)
        }
        return (archive, row)
    }
}

/// In whose name an archive is fetched.
private enum ExportFetcher: Sendable {
    /// A session whose owner has proved it recently.
    case session(SessionOwner)
    /// A link that was made in one.
    case link(SessionLink)

    var account: AccountID {
        switch self {
        case .session(let owner): owner.account
        case .link(let link): link.account
        }
    }

    /// "ses_…".
    var session: String {
        switch self {
        case .session(let owner): owner.session
        case .link(let link): link.session
        }
    }
}
