import ServiceRuntime

/// When `postern backup --every` makes the next backup, and which it removes.
enum BackupSchedule {
    /// The shortest interval: a backup reads the whole of each store.
    static let intervalMin = Duration.seconds(60)
    /// The wait after a failure.
    static let pauseAfterFailure = Duration.seconds(300)

    /// How long to wait for the next backup. A process that was restarted continues with the
    /// interval that had begun.
    ///
    ///     the newest backup          the next
    ///     none                       now
    ///     older than the interval    now
    ///     younger                    when it is as old as the interval
    ///     from the future            after the interval: the clock was set back since
    static func wait(after newest: BackupName?, every interval: Duration, now: Timestamp)
        -> Duration
    {
        guard let newest else { return .zero }
        return min(max(newest.at + interval - now, .zero), interval)
    }

    /// The files to remove: the backups before the newest `count`, and the drafts before the newest
    /// backup, of runs that were killed. Others are not the tool's.
    /// - Parameter names: all files of the folder.
    static func outdated(in names: [String], keeping count: Int) -> [String] {
        let backups = names.compactMap(BackupName.init).sorted()
        guard let newest = backups.last else { return [] }
        let drafts = names.filter { name in
            guard name.hasSuffix(BackupName.draftSuffix) else { return false }
            let draft = BackupName(String(name.dropLast(BackupName.draftSuffix.count)))
            return draft.map { $0 < newest } ?? false
        }
        return backups.dropLast(max(1, count)).map(\.text) + drafts
    }
}
