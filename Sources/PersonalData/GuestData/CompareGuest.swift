import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension GuestDataHandler {
    /// Documents of one page. With the longest names 22 KiB, and as much for sizes and times.
    private static let pageMax = 100
    /// JSON texts of one page, in bytes, so that a page fits a public frame (128 KiB).
    private static let jsonBytesMax = 96 * 1_024

    /// Returns the documents of both sides of a collision, one page at a time (G-16), in the order
    /// of collection and name.
    func compareGuest(
        _ request: GatewayV1.CompareGuestRequest, _ call: AccountCall
    ) async throws -> GatewayV1.CompareGuestResponse {
        let after = ComparisonPlace(
            try PageToken.place(request.pageToken, parts: 2) {
                DocumentKey(collection: $0[0], name: $0[1])
            } ?? DocumentKey(collection: "", name: ""))
        let choice = try choice(request.choiceToken, of: call.account)
        let account = try await sides(.account, choice)
        let guest = try await sides(.guest, choice)
        let rest = Set(guest.keys).union(account.keys).map(ComparisonPlace.init)
            .filter { after < $0 }.sorted()
        var page = GatewayV1.CompareGuestResponse(
            guestDocuments: UInt32(clamping: guest.count),
            accountDocuments: UInt32(clamping: account.count))
        var bytes = 0
        for place in rest {
            let sides = (guest: guest[place.key], account: account[place.key])
            let size = Int((sides.guest?.bytes ?? 0) + (sides.account?.bytes ?? 0))
            let isLong = size > Self.jsonBytesMax
            bytes += request.withJson && !isLong ? size : 0
            guard page.documents.count < Self.pageMax, bytes <= Self.jsonBytesMax else {
                if let last = page.documents.last {
                    page.nextPageToken = PageToken.text(last.collection, last.name)
                }
                break
            }
            page.documents.append(.init(place.key, guest: sides.guest, account: sides.account))
        }
        if request.withJson { try await addJSON(to: &page, choice) }
        return page
    }

    /// What a side has of documents, without their JSON.
    private func sides(
        _ side: DocumentSide, _ choice: CollisionChoice
    ) async throws -> [DocumentKey: GatewayV1.DocumentSide] {
        var sides: [DocumentKey: GatewayV1.DocumentSide] = [:]
        var selection = DocumentSelection()
        let rules = documents.rules.value
        while true {
            let (owner, page) = try await store.read { [selection] session in
                let owner = try documentOwner(side, choice, in: session)
                return (owner, try session.documentPage(selection, of: owner.account))
            }
            let opened = try documents.opened(owner).open(page)
            for document in opened.documents {
                sides[document.key] = try document.side(rules, withJSON: false)
            }
            guard page.hasMore, let last = page.rows.last else { return sides }
            selection.after = last.position
        }
    }

    private func documentOwner(
        _ side: DocumentSide, _ choice: CollisionChoice, in session: some SQLSession
    ) throws -> DocumentOwner {
        let account =
            switch side {
            case .account: choice.account
            case .guest: try guest(of: choice, in: session).account
            }
        guard let owner = try session.documentOwner(account) else {
            throw ServiceError(.invalidAccessToken)
        }
        try owner.requireUsable()
        return owner
    }

    /// Reads the texts of a page. One that is changed meanwhile has its new text, version and time.
    private func addJSON(
        to page: inout GatewayV1.CompareGuestResponse, _ choice: CollisionChoice
    ) async throws {
        let keys = page.documents.filter(\.mayHaveJSON).map(\.key)
        let rules = documents.rules.value
        let texts = try await store.read { session in
            let guest = try documents.opened(documentOwner(.guest, choice, in: session))
            let account = try documents.opened(documentOwner(.account, choice, in: session))
            return try keys.map { key in
                (
                    guest: try guest.document(key, in: session)?.side(rules, withJSON: true),
                    account: try account.document(key, in: session)?.side(rules, withJSON: true)
                )
            }
        }
        for (index, key) in page.documents.map(\.key).enumerated() {
            guard let place = keys.firstIndex(of: key) else { continue }
            page.documents[index] = .init(
                key, guest: texts[place].guest, account: texts[place].account)
        }
    }

    /// Whether the texts of both sides fit a page.
    static func fits(_ bytes: Int) -> Bool { bytes <= jsonBytesMax }
}

extension StoredDocument {
    /// One side of a comparison; nil for a removed document.
    /// - Throws: as `shownJSON`.
    fileprivate func side(
        _ rules: DocumentRules, withJSON: Bool
    ) throws(ServiceError) -> GatewayV1.DocumentSide? {
        guard !isRemoved else { return nil }
        let json = try shownJSON(rules)
        return GatewayV1.DocumentSide(
            version: version, bytes: UInt32(clamping: json.utf8.count),
            changedAtMs: changedAt.milliseconds, json: withJSON ? json : "")
    }
}

extension GatewayV1.ComparedDocument {
    fileprivate init(
        _ key: DocumentKey, guest: GatewayV1.DocumentSide?, account: GatewayV1.DocumentSide?
    ) {
        let side = guest.map { guest in
            MigrationRule.kept(
                guest: Timestamp(milliseconds: guest.changedAtMs),
                account: account.map { Timestamp(milliseconds: $0.changedAtMs) }, picked: nil)
        }
        self.init(
            collection: key.collection, name: key.name, guest: guest, account: account,
            newer: (side ?? .account).message)
    }

    fileprivate var key: DocumentKey { DocumentKey(collection: collection, name: name) }

    /// Otherwise one document could be longer than a page.
    fileprivate var mayHaveJSON: Bool {
        GuestDataHandler.fits(Int((guest?.bytes ?? 0) + (account?.bytes ?? 0)))
    }
}

/// A document's place in a comparison: by collection, then by name, byte by byte.
private struct ComparisonPlace: Comparable {
    let key: DocumentKey

    init(_ key: DocumentKey) { self.key = key }

    static func < (first: ComparisonPlace, second: ComparisonPlace) -> Bool {
        first.key.collection == second.key.collection
            ? first.key.name.utf8.lexicographicallyPrecedes(second.key.name.utf8)
            : first.key.collection.utf8.lexicographicallyPrecedes(second.key.collection.utf8)
    }
}
