import Messages

/// How far one stream has come. Pure:
///
///     the follower has        and removals since then      it gets
///     nothing                 any                          all documents
///     all up to a position    all known                    later changes and removals
///     all up to a position    some forgotten               a reset, then all documents
///     an unknown position     any                          a reset, then all documents
///
/// While it gets all documents, their positions are lower than the one at which it began. Removals
/// up to that one are of documents that it does not have, and are left out.
struct DocumentFollower: Hashable, Sendable {
    /// The position of the last item; 0 before the first.
    private(set) var position: Int64
    /// The position up to which removals do not matter to it.
    private var begunAt: Int64
    /// The first page is still to come, which must know whether `position` can be resumed.
    private var isNew = true
    /// The next item is the first of all documents.
    private var isReset = false

    /// A follower that has all changes up to `position`; nil if it has nothing.
    init(after position: Int64?) {
        self.position = position ?? 0
        begunAt = position ?? 0
    }

    /// What it gets next, when the documents have these totals.
    func selection(at totals: DocumentTotals) -> DocumentSelection {
        let next = resumed(at: totals)
        return DocumentSelection(after: next.position, removalsAfter: next.begunAt)
    }

    /// The items of the page that was selected at these totals.
    /// - Throws: as `StoredDocument.message`.
    mutating func items(
        of page: OpenedPage, at totals: DocumentTotals, _ rules: DocumentRules
    ) throws -> [GatewayV1.WatchDocumentsItem] {
        self = resumed(at: totals)
        return try page.documents.map { document in
            defer { isReset = false }
            position = document.position
            let message = try document.message(withJSON: true, rules)
            return GatewayV1.WatchDocumentsItem(
                position: document.position, reset: isReset,
                change: document.isRemoved ? .removed(message) : .written(message))
        }
    }

    /// The item that says that the follower has everything; nil right after later changes.
    mutating func upToDate(
        at totals: DocumentTotals, hasChanges: Bool
    ) -> GatewayV1.WatchDocumentsItem? {
        position = totals.position
        begunAt = totals.position
        defer { (isNew, isReset) = (false, false) }
        guard isNew || isReset || !hasChanges else { return nil }
        return GatewayV1.WatchDocumentsItem(position: position, reset: isReset)
    }

    private func resumed(at totals: DocumentTotals) -> DocumentFollower {
        var next = self
        let known = max(position, begunAt)
        if !totals.canResume(after: known) {
            next.position = 0
            next.begunAt = totals.position
            next.isReset = true
            next.isNew = true
        } else if known == 0 {
            next.begunAt = totals.position
        }
        return next
    }
}
