/// One reader: a connection, and a snapshot for each query.
struct StoreReader {
    let open: () throws -> any SQLConnection
    private var connection: (any SQLConnection)?

    /// A reader that opens its connection at the first query.
    init(open: @escaping () throws -> any SQLConnection) {
        self.open = open
    }

    /// Runs queries one at a time until the queue is closed and empty.
    mutating func work(_ queue: WorkQueue<Queued<any SQLSession>>) {
        while case let queries = queue.take(upTo: 1), !queries.isEmpty {
            for query in queries { answer(query) }
        }
    }

    private mutating func answer(_ query: Queued<any SQLSession>) {
        if query.isGone { return query.fail(CallerGone()) }
        do {
            let connection = try connection ?? open()
            self.connection = connection
            let answer = try Self.run(query, connection)
            answer()
        } catch {
            // A connection that could not end its snapshot would return old data for ever.
            if connection?.isInTransaction == true { connection = nil }
            query.fail(StoreFailure.answer(to: error))
        }
    }

    private static func run(
        _ query: Queued<any SQLSession>, _ connection: any SQLConnection
    ) throws -> Queued<any SQLSession>.Answer {
        try connection.beginReading()
        do {
            let answer = try query.run(connection)
            try connection.rollBack()
            return answer
        } catch {
            if connection.isInTransaction { try connection.rollBack() }
            throw error
        }
    }
}
