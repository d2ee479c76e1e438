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
    ///
    /// One from the future does not count: the clock was set back since, and a process that is
    /// restarted more often than the interval would make none until then.
    /// - Parameter names: all files of the folder.
    static func wait(after names: [String], every interval: Duration, now: Timestamp) -> Duration {
        let newest = names.compactMap(BackupName.init).filter { $0.at <= now }.max()
        guard let newest else { return .zero }
        return max(newest.at + interval - now, .zero)
    }

    /// The files to remove after a backup: of it and those before it, all but the newest `count`,
    /// and the drafts before it, of runs that were killed. Others are not the tool's.
    ///
    /// Those after it were made before the clock was set back. They remain and do not count: the
    /// backup that was just made would be removed in place of them, and so would each further one.
    /// - Parameters:
    ///   - names: all files of the folder.
    ///   - made: the backup.
    static func outdated(
        in names: [String], keeping count: Int, after made: BackupName
    ) -> [String] {
        let backups = names.compactMap(BackupName.init).filter { $0 <= made }.sorted()
        let drafts = names.filter { name in
            guard name.hasSuffix(BackupName.draftSuffix) else { return false }
            let draft = BackupName(String(name.dropLast(BackupName.draftSuffix.count)))
            return draft.map { $0 < made } ?? false
        }
        return backups.dropLast(max(1, count)).map(\.text) + drafts
    }
}
