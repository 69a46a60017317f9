//! Chinese in the older characters, read as in the newer ones that the rules and the dictionary are written in: 這禮拜 is 这礼拜. Both
//! have three bytes, so that what is found in one stands at the same place in the other.

use std::borrow::Cow;

/// Each older character with its newer one behind it, in the order of the older ones. Of the ones that have several newer ones only
/// those are here whose meaning does not change what is found.
const PAIRS: &str = "\
    丟丢並并亂乱亞亚來来倉仓個个們们倫伦側侧偵侦偽伪備备傳传傷伤價价儀仪億亿優优儲储兌兑兒儿內内兩两冊册\
    凍冻凱凯別别刪删則则剛刚創创劇剧劑剂動动務务勝胜勞劳勢势勵励勸劝匯汇區区協协卻却厭厌厲厉參参員员問问\
    啟启單单嗎吗嘆叹嘗尝噴喷噸吨嚇吓嚐尝嚴严團团執执報报場场塗涂塵尘墊垫壓压壞坏壩坝壽寿夠够夥伙夾夹奪夺\
    奮奋妳你娛娱婦妇媽妈嬌娇嬰婴嬸婶孫孙學学寢寝實实寧宁審审寫写寬宽寵宠寶宝將将專专尋寻對对導导層层屬属\
    岡冈島岛峽峡嶺岭帥帅師师帳帐帶带幣币幫帮幹干幾几庫库廂厢廠厂廢废廣广廳厅張张強强彈弹彙汇後后徑径從从\
    復复徹彻悅悦悶闷惡恶惱恼愛爱態态慘惨慶庆憂忧憐怜憲宪憶忆懇恳應应懶懒懷怀懸悬戀恋戰战戲戏戶户拋抛掃扫\
    掙挣掛挂採采揚扬換换揮挥損损搖摇搶抢撥拨撫抚撲扑撿捡擁拥擇择擊击擋挡擔担據据擠挤擬拟擱搁擴扩擺摆擾扰\
    攔拦攜携攝摄攤摊攪搅敗败敘叙敵敌數数斷断時时暈晕暢畅暫暂曆历曉晓曠旷曬晒書书會会東东條条棟栋棧栈楊杨\
    業业極极榮荣構构槍枪樂乐樓楼標标樣样樸朴樹树橋桥機机檢检櫃柜櫥橱櫻樱欄栏權权歐欧歡欢歲岁歷历歸归殘残\
    殺杀毀毁氣气氫氢決决沒没況况淚泪淨净淵渊淺浅減减測测渾浑湊凑湯汤準准溝沟溫温溼湿滅灭滬沪滲渗滿满漁渔\
    漢汉漲涨漸渐潔洁潤润潰溃澀涩澇涝澤泽濃浓濕湿濟济濤涛濱滨濾滤瀉泻灑洒灣湾災灾為为無无煉炼煩烦熱热燈灯\
    燉炖燒烧燙烫燦灿燭烛爐炉爛烂爭争爺爷爾尔牆墙牽牵犧牺狀状獄狱獅狮獎奖獨独獵猎獸兽現现瑣琐瑪玛環环瓊琼\
    產产畝亩畢毕畫画當当瘋疯療疗癢痒癥症發发皺皱盜盗盞盏盡尽監监盤盘眾众睏困矯矫碩硕確确碼码磚砖礎础礦矿\
    禍祸禦御禮礼稅税種种稱称積积穩稳窩窝窮穷竊窃競竞筆笔筍笋節节範范築筑篩筛簡简簽签簾帘籃篮籠笼粵粤糧粮\
    糾纠紀纪約约紅红紋纹納纳純纯紗纱紙纸級级紛纷紡纺細细紹绍終终組组結结絕绝絡络給给絨绒統统絲丝絹绢綁绑\
    經经綜综綠绿維维綱纲網网綿绵緊紧緒绪線线緝缉緣缘編编緩缓緬缅緯纬練练縣县縫缝縮缩縱纵總总績绩織织繞绕\
    繩绳繪绘繳缴繼继續续罰罚罵骂罷罢羅罗義义習习翹翘聞闻聯联聰聪聲声職职聽听肅肃脹胀腦脑腫肿腳脚腸肠膚肤\
    膠胶膩腻膽胆臉脸臟脏臨临臺台與与興兴舉举舊旧艙舱艦舰艱艰艷艳莊庄莖茎華华萬万葉叶蓋盖蔥葱薑姜薦荐薩萨\
    藍蓝藝艺藥药蘇苏蘋苹蘭兰蘿萝處处虛虚號号虧亏蝕蚀蝦虾螞蚂蟲虫蠟蜡術术衛卫衝冲衹只裏里補补裝装裡里複复\
    褲裤襪袜襯衬襲袭見见覓觅視视親亲覺觉覽览觀观觸触訂订訊讯討讨訓训記记訪访設设許许診诊詐诈評评詞词詢询\
    試试詩诗話话該该詳详認认誕诞誘诱語语誠诚誤误說说誰谁誼谊調调談谈請请諒谅論论諷讽諸诸諾诺謀谋謂谓謊谎\
    謙谦講讲謝谢謹谨證证識识譜谱譯译議议護护譽誉讀读變变讓让讚赞豐丰豬猪貓猫貝贝負负財财貢贡貧贫貨货販贩\
    貪贪責责貴贵買买貸贷費费貼贴賀贺賊贼賓宾賞赏賠赔賣卖賦赋質质賬账購购賽赛贈赠贏赢贖赎趕赶趙赵趨趋跡迹\
    踐践踴踊躍跃車车軌轨軍军軟软軸轴較较載载輔辅輕轻輛辆輝辉輩辈輪轮輸输輻辐轄辖轉转轎轿轟轰辦办辭辞辯辩\
    農农這这連连週周進进運运過过達达違违遜逊遞递遠远適适遲迟遷迁選选遺遗邁迈還还邊边邏逻郵邮鄉乡鄧邓鄭郑\
    鄰邻醫医醬酱釋释釘钉針针釣钓鈔钞鈕钮鈴铃鉛铅鉤钩銀银銜衔銳锐鋒锋鋪铺鋼钢錄录錢钱錦锦錯错錶表鍋锅鍛锻\
    鍵键鎖锁鎮镇鏈链鏡镜鐘钟鐵铁鑑鉴鑰钥鑽钻長长門门閃闪閉闭開开閒闲間间閱阅闆板闊阔闖闯關关陝陕陣阵陰阴\
    陳陈陸陆陽阳隊队階阶際际隨随險险隱隐雖虽雙双雜杂雞鸡離离難难雲云電电霧雾靈灵靜静韌韧韓韩響响頁页頂顶\
    項项順顺須须頌颂預预頑顽頒颁頓顿頗颇領领頭头頸颈頻频顆颗題题額额顏颜願愿類类顧顾顫颤顯显風风颱台飄飘\
    飛飞飢饥飯饭飲饮飾饰餃饺餅饼養养餓饿餘余館馆餵喂饅馒馬马馮冯駁驳駐驻駕驾駛驶駝驼駿骏騎骑騙骗騷骚驕骄\
    驗验驚惊驟骤髒脏體体髮发鬆松鬥斗鬧闹魚鱼魯鲁魷鱿鮮鲜鯊鲨鳥鸟鴨鸭鵝鹅鷹鹰鷺鹭鹽盐麗丽麥麦麵面麼么黃黄\
    點点黨党齊齐齒齿齡龄龍龙";

/// Bytes of a pair.
const PAIR: usize = 6;

/// The text in newer characters.
pub(super) fn of(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_frequent) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| newer(c).unwrap_or(c)).collect())
}

/// Whether it is one of the older characters of which nearly every text in them has some, and every word that is looked for.
fn is_frequent(c: char) -> bool {
    matches!(
        c,
        '這' | '個'
            | '們'
            | '後'
            | '來'
            | '時'
            | '週'
            | '禮'
            | '號'
            | '兩'
            | '幾'
            | '剛'
            | '現'
            | '當'
            | '裡'
            | '裏'
            | '邊'
            | '兒'
            | '還'
            | '沒'
            | '說'
            | '會'
            | '對'
            | '過'
            | '開'
            | '點'
            | '間'
            | '學'
            | '歲'
            | '從'
            | '將'
            | '發'
            | '車'
            | '電'
            | '媽'
            | '師'
            | '聽'
            | '寫'
            | '買'
            | '錢'
            | '飯'
            | '遲'
            | '讓'
            | '給'
            | '妳'
            | '舊'
    )
}

fn newer(c: char) -> Option<char> {
    let mut bytes = [0; 4];
    let older = c.encode_utf8(&mut bytes);
    if older.len() != PAIR / 2 {
        return None;
    }
    let (mut low, mut high) = (0, PAIRS.len() / PAIR);
    while low < high {
        let middle = low + (high - low) / 2;
        let pair = PAIRS.get(middle * PAIR..(middle + 1) * PAIR)?;
        match pair[..PAIR / 2].cmp(older) {
            std::cmp::Ordering::Equal => return pair.chars().nth(1),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_characters_are_read_as_newer_ones() {
        assert_eq!(of("這禮拜五，我們後天還會來"), "这礼拜五，我们后天还会来");
        assert!(matches!(of("这礼拜五, today"), Cow::Borrowed(_)));
    }

    #[test]
    fn each_pair_is_in_its_order_and_of_one_length() {
        let pairs: Vec<char> = PAIRS.chars().collect();
        assert!(pairs.iter().all(|c| c.len_utf8() == PAIR / 2));
        let older: Vec<char> = pairs.iter().copied().step_by(2).collect();
        assert!(older.is_sorted() && older.iter().all(|c| newer(*c).is_some()));
    }
}
